"""Figures on the screen: what gai_core.results names, drawn with Plotly."""

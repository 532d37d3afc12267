"""Figures on the screen: what gai_core.figure_data names, drawn with Plotly."""

"""The planner in the browser: widgets in, gai_core calls, figures out."""

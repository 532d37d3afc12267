"""One page a file: widgets in, gai_core calls, figures out.

The folder is not named pages: Streamlit would take that as its own and serve the
files without main.py.
"""

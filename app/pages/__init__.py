"""One page a file: widgets in, gai_core calls, figures out."""

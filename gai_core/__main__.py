"""`python -m gai_core` is `gai`."""

from gai_core.cli import main

main()

"""`python -m gai_core.tools [RULE:OUTCOME ... | --study STUDY ...]` compiles loops ahead."""

import sys

from gai_core.tools.warm_up import main

if __name__ == "__main__":
    main(sys.argv[1:])

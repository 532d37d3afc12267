"""How long a test waits at most, in one place."""

import os

PATIENCE = float(os.environ.get("GAI_PATIENCE", "1500"))
"""Seconds after which a step hangs; only a test that fails waits for so long. On a machine that
several whole runs keep busy, one that has to wait for another's compiling takes minutes."""

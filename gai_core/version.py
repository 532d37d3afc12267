"""The version of the package, in one place."""

__version__ = "0.7.0"

LIBRARIES = ("numpy", "scipy", "numba", "pandas", "pyarrow", "pydantic")
"""Libraries that the numbers depend on; a manifest and a report name their versions."""

"""MCP-Mod as a benchmark: candidate shapes, contrasts, critical value, fitted curves; in words."""

from gai_core.mcp_mod.asking import method_for, why_not
from gai_core.mcp_mod.benchmark import NAME, McpMod, mcp_mod, mcp_mod_table
from gai_core.mcp_mod.biom import Figure, check_biom
from gai_core.mcp_mod.curve_shapes import SHAPES, Candidate, Shape
from gai_core.mcp_mod.words import mcp_mod_sentences, mcp_mod_summary, mcp_mod_tables

__all__ = [
    "NAME",
    "SHAPES",
    "Candidate",
    "Figure",
    "McpMod",
    "Shape",
    "check_biom",
    "mcp_mod",
    "mcp_mod_sentences",
    "mcp_mod_summary",
    "mcp_mod_table",
    "mcp_mod_tables",
    "method_for",
    "why_not",
]

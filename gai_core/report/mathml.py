"""Formulas in HTML: MathML, which browsers set without help."""

from html import escape

from gai_core.report.content import legal
from gai_core.report.formulas import Fraction, Marked, Part, Root, Row, Text, pieces


def mathml(formula: str) -> str:
    """A formula of a registry: words, and `math` elements between them; all text is escaped."""
    return "".join(
        escape(legal(piece))
        if isinstance(piece, str)
        else f'<math displaystyle="true">{_of(piece)}</math>'
        for piece in pieces(formula)
    )


def _of(part: Part) -> str:
    match part:
        case Text(_, "room"):
            return '<mspace width="0.2em"></mspace>'
        case Text(text, role):
            tag = {"letter": "mi", "words": "mtext"}.get(role, "mn" if text[0].isdigit() else "mo")
            return f"<{tag}>{escape(legal(text))}</{tag}>"
        case Row(parts, brackets):
            inside = "".join(map(_of, parts))
            if brackets:
                inside = f"<mo>{brackets[0]}</mo>{inside}<mo>{brackets[1]}</mo>"
            return f"<mrow>{inside}</mrow>"
        case Root(inside):
            return f"<msqrt>{_of(inside)}</msqrt>"
        case Fraction(above, below):
            return f"<mfrac>{_of(above)}{_of(below)}</mfrac>"
        case Marked(base, None, above) if above is not None:
            return f"<msup>{_of(base)}{_of(above)}</msup>"
        case Marked(base, below, None) if below is not None:
            return f"<msub>{_of(base)}{_of(below)}</msub>"
        case Marked(base, below, above):
            assert below is not None
            assert above is not None
            return f"<msubsup>{_of(base)}{_of(below)}{_of(above)}</msubsup>"

"""Formulas in Word: Office Math, which can be edited there."""

from typing import Any

from gai_core.report.content import legal
from gai_core.report.formulas import FUNCTIONS, Fraction, Marked, Part, Root, Row, Text

XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def office_math(tree: Row) -> Any:
    """A formula as an `m:oMath` element."""
    return _element("oMath", *_of(tree))


def _element(tag: str, *children: Any, val: str | None = None) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    found: Any = OxmlElement(f"m:{tag}")
    if val is not None:
        found.set(qn("m:val"), val)
    found.extend(children)
    return found


def _run(text: str, *, plain: bool = False) -> Any:
    """Letters; plain ones are text, neither slanted nor read as a sign."""
    letters = _element("t")
    letters.text = legal(text)
    letters.set(XML_SPACE, "preserve")
    return _element("r", *([_element("rPr", _element("nor"))] if plain else []), letters)


def _mark(row: Row) -> list[Any]:
    """What stands above or below; a sign that is alone there is plain, as it joins nothing."""
    if len(row.parts) == 1 and isinstance(row.parts[0], Text):
        text, role = row.parts[0]
        return [_run(text, plain=role in {"words", "sign"} and not text.isdigit())]
    return _of(row)


def _of(part: Part) -> list[Any]:
    match part:
        case Text(text, role):
            return [_run(text, plain=role == "words" and text not in FUNCTIONS)]
        case Row(parts, brackets):
            inside = [element for each in parts for element in _of(each)]
            if not brackets:
                return inside
            signs = _element("begChr", val=brackets[0]), _element("endChr", val=brackets[1])
            return [_element("d", _element("dPr", *signs), _element("e", *inside))]
        case Root(inside):
            settings = _element("radPr", _element("degHide", val="1"))
            return [_element("rad", settings, _element("deg"), _element("e", *_of(inside)))]
        case Fraction(above, below):
            return [_element("f", _element("num", *_of(above)), _element("den", *_of(below)))]
        case Marked(base, below, above):
            tag = {(True, False): "sSub", (False, True): "sSup"}.get(
                (below is not None, above is not None), "sSubSup"
            )
            marked = [_element("e", *_of(base))]
            marked += [] if below is None else [_element("sub", *_mark(below))]
            marked += [] if above is None else [_element("sup", *_mark(above))]
            return [_element(tag, *marked)]

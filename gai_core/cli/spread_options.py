"""Options that several commands have stand once, as a group: a frozen dataclass.

A command that names a group as a parameter has all of its options, and gets them as one value:

    def command(asked: Asked, simulating: Simulating, csv: CsvFile) -> None: ...
"""

import dataclasses
import inspect
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature
from typing import Any, get_type_hints


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer reads it: every field of a group is a parameter of its own."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)
    }

    @wraps(command)
    def run(**given: Any) -> None:
        values = {}
        for name, group in groups.items():
            fields = [field.name for field in dataclasses.fields(group)]
            values[name] = group(**{field: given.pop(field) for field in fields})
        command(**given, **values)

    parameters: list[Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _options(groups[name])
        else:
            parameters.append(_keyword(name, parameter.default, hints[name]))
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del run.__wrapped__  # its signature is not the one to read
    return run


def _options(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        _keyword(
            field.name,
            Parameter.empty if field.default is dataclasses.MISSING else field.default,
            hints[field.name],
        )
        for field in dataclasses.fields(group)
    ]


def _keyword(name: str, default: Any, annotation: Any) -> Parameter:
    """By name, so that what must be given may stand after what may be left out."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)

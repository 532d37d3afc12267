"""The outcome of a study file: its `kind` says which of the registered models it is."""

from typing import Annotated, Any, Union

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from gai_core.evidence.outcomes import OUTCOMES, Outcome, every_outcome, model_of


def _of_its_kind(data: Any) -> Outcome:
    """The registry is asked at every validation, so that a kind may be added at any time."""
    if isinstance(data, Outcome):
        return data
    if not isinstance(data, dict):
        raise PydanticKnownError("model_attributes_type")
    *others, last = OUTCOMES
    known = {"kinds": f"{', '.join(others)} or {last}"}
    if "kind" not in data:
        raise PydanticCustomError("union_tag_not_found", "must say its kind, {kinds}", known)
    kind = data["kind"]
    if not isinstance(kind, str) or kind not in OUTCOMES:
        raise PydanticCustomError("union_tag_invalid", "must be of kind {kinds}", known)
    return model_of(data).model_validate(data)


class _OfItsKind:
    """Tells pydantic how to validate and describe the outcome of a study."""

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_of_its_kind)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        every: Any = Union[every_outcome()]  # noqa: UP007 (built from a list)
        described: TypeAdapter[Any] = TypeAdapter(every)
        return handler(described.core_schema)


OutcomeOfItsKind = Annotated[Outcome, _OfItsKind]

"""The base of everything that a study file holds: immutable, strict, no unknown keys."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A part of a study: validated once, never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

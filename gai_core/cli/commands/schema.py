"""`gai schema`."""

import json

import typer


def command() -> None:
    """Print the JSON Schema of a study file, for editors."""
    from gai_core.study import Study

    typer.echo(json.dumps(Study.model_json_schema(), indent=2))

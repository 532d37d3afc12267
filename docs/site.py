"""The pages of the site, made when it is built: no text stands twice, and no list is kept by hand.

First come the tutorial, the worked examples and the notebooks of docs/; every section of README.md
is a page of the guide, the other pages of docs/ follow, and every room of gai_core has a page of
its public names.
"""

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PROJECT = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
PROJECT |= {"SECURITY.md": "security.md"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Say in which order the pages stand."""
    details = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
    worked = [name for name in details if name.startswith("example-")]
    learning = ["tutorial.md", *worked, *notebooks()]
    config.nav = [
        {"Home": "index.md"},
        {"Learning": learning},
        {"Guide": [{title: name} for name, (title, _) in guide().items()]},
        {"In detail": [name for name in details if name not in learning]},
        {"Reference": [{package: name} for name, package in packages().items()]},
        {"Project": list(PROJECT.values())},
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made of something else."""
    pages = {"index.md": introduction()}
    pages |= {name: f"# {title}\n{text}" for name, (title, text) in guide().items()}
    pages |= {name: f"# {package}\n\n::: {package}\n" for name, package in packages().items()}
    pages |= notebooks()
    pages |= {name: (ROOT / source).read_text("utf-8") for source, name in PROJECT.items()}
    for name, text in pages.items():
        files.append(File.generated(config, name, content=moved(text)))
    return files


def introduction() -> str:
    """What stands in README.md before its first section."""
    return (ROOT / "README.md").read_text("utf-8").split("\n## ")[0]


def guide() -> dict[str, tuple[str, str]]:
    """A page's name, title and text for every section of README.md."""
    sections = (ROOT / "README.md").read_text("utf-8").split("\n## ")[1:]
    parts = [section.partition("\n")[::2] for section in sections]
    return {slug(title): (title, text) for title, text in parts}


def notebooks() -> dict[str, str]:
    """Every notebook as a page: its words, its code, and what that prints."""
    pages = {}
    for path in sorted((ROOT / "docs").glob("*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        pages[f"{path.stem}.md"] = "\n\n".join(map(_cell, cells))
    return pages


def _cell(cell: dict[str, Any]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    printed = ["".join(output.get("text", ())) for output in cell["outputs"]]
    return "\n".join([f"```python\n{source}\n```\n", *(f"```text\n{text}```" for text in printed)])


def slug(title: str) -> str:
    """The name of a page."""
    return "-".join(re.findall("[a-z0-9]+", title.lower())) + ".md"


def packages() -> dict[str, str]:
    """The page of the front door, and of every room behind it."""
    rooms = sorted(path.parent.name for path in (ROOT / "gai_core").glob("*/__init__.py"))
    names = ["gai_core", *(f"gai_core.{room}" for room in rooms)]
    return {f"{name.replace('.', '-')}.md": name for name in names}


def moved(text: str) -> str:
    """Links that a page of the site has where a file of the repository had others."""
    for source, name in PROJECT.items():
        text = text.replace(f"]({source})", f"]({name})")
    return text.replace("](docs/", "](").replace(".ipynb)", ".md)")

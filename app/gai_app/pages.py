"""The pages in the order of the navigation: a page is a file in views/ and a line here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from gai_core.basics import Registry


@dataclass(frozen=True)
class Page:
    """A page: its name in addresses, its title and icon, what draws it, and what it is for."""

    key: str
    title: str
    icon: str
    draws: str | Callable[[], None]
    """A file beside this one, or a function."""
    about: str
    under: str = ""
    """The page from which it is reached; empty for those of the navigation."""
    in_full: str = ""
    """Its heading, where the title alone says too little."""

    @property
    def heading(self) -> str:
        """What stands above the page."""
        return self.in_full or self.title


def _of_view(key: str, title: str, icon: str, about: str, **more: str) -> Page:
    return Page(key, title, f":material/{icon}:", f"views/{key}.py", about, **more)


PAGES = Registry(
    "page",
    [
        _of_view(
            "plan",
            "Plan",
            "edit_note",
            "The study: outcome, target, doses, designs.",
            in_full="Plan a dose-finding trial",
        ),
        _of_view("results", "Results", "insights", "What each design does, with its errors."),
        _of_view(
            "compare",
            "Compare",
            "balance",
            "Designs side by side, on the same patients.",
            in_full="Compare designs",
        ),
        _of_view("explore", "Explore", "travel_explore", "How many patients? What if? The best?"),
        _of_view(
            "one_trial",
            "One trial",
            "timeline",
            "A single trial, patient by patient.",
            in_full="One trial, patient by patient",
        ),
        _of_view("decision_rules", "Decision rules", "rule", "The table for the protocol."),
        _of_view("help", "Help", "help", "Words, guarantees, reading the figures, citing."),
        _of_view(
            "the_paper",
            "The paper",
            "article",
            "The published numbers, computed again.",
            under="help",
        ),
    ],
)
"""The first one opens when no other is asked for."""


def navigation() -> dict[str, Any]:
    """The pages as Streamlit takes them, by their name in addresses."""
    first = next(iter(PAGES))
    return {
        page.key: st.Page(
            page.draws,
            title=page.title,
            icon=page.icon,
            url_path=page.key,
            default=page.key == first,
            visibility="hidden" if page.under else "visible",
        )
        for page in PAGES.values()
    }


def link_to(key: str, label: str) -> None:
    """A link to a page that a file draws."""
    st.page_link(str(PAGES[key].draws), label=label, icon=PAGES[key].icon)

"""What can go wrong in ways that are the user's to mend."""

from gai_core.basics.echo import shortened
from gai_core.basics.problem import Name, Problem, Words, first_problems, path, told

LONGEST_SOURCE = 300


class InputError(ValueError):
    """The input breaks rules: `problems` has them, `source` says whose input it is (a file)."""

    def __init__(self, *problems: Problem | str, source: Words = "") -> None:
        """Problems, or plain sentences where there is no place to name."""
        super().__init__(*problems)
        self.problems = tuple(
            first_problems(
                Problem((), problem) if isinstance(problem, str) else problem
                for problem in problems
            )
        )
        self.source = source

    def sentences(self, name: Name = path) -> list[str]:
        """A sentence for every problem, after the source; `name` says how places are called."""
        source = shortened(told(self.source, name), LONGEST_SOURCE)
        before = f"{source}: " if source else ""
        return [f"{before}{problem.sentence(name)}" for problem in self.problems]

    def __str__(self) -> str:
        return "\n".join(self.sentences())


class Cancelled(Exception):
    """The user stopped a simulation before its end."""

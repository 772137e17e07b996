"""The sentences of the built-in model, read from ``wonmu/lines/ko/model.yaml``.

Nothing spoken stands in code. Loaded once per process, at the first sentence.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import yaml

from wonmu.errors import ProgrammingError

FILE = "model.yaml"


@cache
def sentences() -> dict[str, str]:
    """Name → sentence with ``{placeholders}``."""
    text = resources.files("wonmu.lines").joinpath("ko", FILE).read_text(encoding="utf-8")
    return {str(name): str(line) for name, line in yaml.safe_load(text).items()}


def phrase(name: str, **values: str) -> str:
    """The sentence of that name with its values put in.

    Raises:
        ProgrammingError: there is no such sentence, or a value is missing.
    """
    try:
        return sentences()[name].format(**values)
    except KeyError as missing:
        raise ProgrammingError(f"{FILE}: no sentence or value {missing} for {name}") from missing

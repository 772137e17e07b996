"""The sentences of the built-in model, read from ``wonmu/lines/ko``.

Nothing spoken stands in code. Loaded once per process, at the first sentence; those about bills
and of the text desk only when one of them is said.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import yaml

from wonmu.errors import ProgrammingError

FILE, BILLING_FILE = "model.yaml", "model_billing.yaml"


@cache
def sentences(file: str = FILE) -> dict[str, str]:
    """Name → sentence with ``{placeholders}``."""
    text = resources.files("wonmu.lines").joinpath("ko", file).read_text(encoding="utf-8")
    return {str(name): str(line) for name, line in yaml.safe_load(text).items()}


def sentence(name: str) -> str:
    """The sentence of that name as written; empty when there is none."""
    return sentences().get(name) or sentences(BILLING_FILE).get(name, "")


def phrase(name: str, /, **values: str) -> str:
    """The sentence of that name with its values put in.

    Raises:
        ProgrammingError: there is no such sentence, or a value is missing.
    """
    known = sentences()
    if name not in known:
        known = sentences(BILLING_FILE)
    try:
        return known[name].format(**values)
    except KeyError as missing:
        raise ProgrammingError(f"{FILE}: no sentence or value {missing} for {name}") from missing

"""Which figures there are. Each is measured by a module of its own, loaded when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from bench.rows import Row


@dataclass(frozen=True, slots=True)
class Figure:
    """A name for ``--only``, what is measured in one sentence, and the module that does it."""

    name: str
    about: str
    module: str

    def measure(self) -> list[Row]:
        """Run it. Takes seconds, prints nothing."""
        module = importlib.import_module(self.module)
        run: Callable[[], list[Row]] = module.measure
        return run()


FIGURES: tuple[Figure, ...] = (
    Figure("turn", "one turn of ours against a bare LiveKit agent's", "bench.turn"),
    Figure("booking", "processor time of a whole booking call", "bench.booking"),
    Figure("greeting", "starting wonmu chat up to the greeting", "bench.greeting"),
    Figure("memory", "memory of one more live call", "bench.memory"),
    Figure("search", "slot search over 100,000 slots", "bench.search"),
    Figure("fhir", "reading a FHIR page of 200 slots", "bench.fhir"),
    Figure("lookup", "a read beside the talk against the same read awaited", "bench.lookup"),
    Figure("reconcile", "the reconciler on 10,000 open rows", "bench.reconcile"),
)


def figure(name: str) -> Figure | None:
    return next((each for each in FIGURES if each.name == name), None)

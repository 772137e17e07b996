"""``wonmu eval``: play dialogue files and show what is not as it must be.

Reads only the files and folders it is given. Decides nothing about right or wrong; ``evals`` does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from wonmu.errors import InputError
from wonmu.evals.run import Result, run_files

DOTS_A_LINE = 60


def run_eval(paths: Sequence[str]) -> int:
    """Play every dialogue; 0 when all went as written, 1 otherwise. Raises ``InputError``."""
    files = dialogue_files(paths)
    report = run_files(files, _Dots(len(files)))
    sys.stdout.write(f"\n{report.text()}\n")
    return 1 if report.failed else 0


def dialogue_files(paths: Sequence[str]) -> list[Path]:
    """The files named, and every ``*.yaml`` below the folders named, each once."""
    if not paths:
        raise InputError("eval needs files or folders; for example wonmu eval my-dialogues/")
    found = [file for path in paths for file in _files(Path(path))]
    return list(dict.fromkeys(found))


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path}: is neither a file nor a folder")
    files = sorted(path.rglob("*.yaml"))
    if not files:
        raise InputError(f"{path}: holds no dialogue; a dialogue is a .yaml file")
    return files


class _Dots:
    """One sign a dialogue: ``.`` as written, ``F`` not, ``x`` known to fail."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0

    def __call__(self, result: Result) -> None:
        self._done += 1
        sign = "F" if result.failed else "x" if result.known_to_fail else "."
        full = self._done % DOTS_A_LINE == 0 and self._done < self._count
        sys.stdout.write(f"{sign} {self._done}/{self._count}\n" if full else sign)
        sys.stdout.flush()

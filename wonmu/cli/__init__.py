"""The command line. Reads options, opens what is needed, prints; decides nothing about a call.

One file for each kind of command; each registers its own on ``root.app``.
"""

from __future__ import annotations

import logging
import sys

from wonmu.cli import talk  # first, as it stands first in --help

# isort: split
from wonmu.cli import desk, proofs, stores
from wonmu.cli.root import app
from wonmu.errors import InputError

__all__ = ["app", "desk", "main", "proofs", "stores", "talk"]


class _Masked(logging.Formatter):
    """Whatever a library logs, no personal number leaves with it (N8, R154)."""

    def format(self, record: logging.LogRecord) -> str:
        from wonmu.korean.mask import mask_text

        return mask_text(super().format(record)).text


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Masked("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.ERROR, handlers=[handler])


def main() -> None:
    """Entry point. Bad input is one sentence and status 2; never a traceback."""
    _log_to_stderr()
    try:
        app()
    except InputError as error:
        sys.stderr.write(f"wonmu: {error}\n")
        raise SystemExit(2) from None
    except BrokenPipeError:
        raise SystemExit(1) from None

"""What goes to standard error holds no personal number, whoever logged it (N8, R154)."""

from __future__ import annotations

import logging

import pytest

from wonmu.cli import _Masked

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("secret", ["010-0000-1234", "01000001234", "850312-1234567"])
def test_a_library_that_logs_the_callers_words_is_masked(secret: str) -> None:
    record = logging.LogRecord("lib", logging.ERROR, "f", 1, "bad input %s", (secret,), None)
    assert secret not in _Masked("%(name)s: %(message)s").format(record)

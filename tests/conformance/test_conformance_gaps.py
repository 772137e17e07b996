"""The table of what is known to be missing names checks that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from targets import MEDPLUM_GAPS

pytestmark = pytest.mark.unit


def test_every_gap_is_a_check_of_the_suite() -> None:
    files = Path(__file__).parent.glob("test_conformance_*.py")
    checks = {
        name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)
    }
    assert set(MEDPLUM_GAPS) <= checks
    assert all(MEDPLUM_GAPS.values())

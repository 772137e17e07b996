"""Every dialogue in ``dialogues/``, played whole, with every check that applies (V1, V4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from wonmu.evals.dialogue import load_dialogue
from wonmu.evals.run import run_dialogue

pytestmark = pytest.mark.scenario

FOLDER = Path(__file__).parent / "dialogues"
FILES = sorted(FOLDER.rglob("*.yaml"))


def test_there_are_dialogues_for_both_hospitals() -> None:
    hospitals = [load_dialogue(path).hospital for path in FILES]
    assert len(FILES) >= 45
    assert min(hospitals.count("hanbit"), hospitals.count("saebom")) >= 15


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_dialogue(path: Path, request: pytest.FixtureRequest) -> None:
    dialogue = load_dialogue(path)
    if dialogue.open_bug is not None:
        request.applymarker(pytest.mark.xfail(reason=dialogue.open_bug, strict=True))
    result = run_dialogue(dialogue)
    assert result.passed, f"\n{result.text()}"

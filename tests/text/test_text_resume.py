"""A conversation goes on at its step after a process restart, on both databases (H2)."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from text_process import child

pytestmark = pytest.mark.service


@pytest.fixture
def place(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """A folder, or a database of this test's own."""
    if backend == "sqlite":
        return tmp_path / "data"
    url: str = request.getfixturevalue("database")
    return url


def token_in(path: Path) -> str:
    return path.read_text().strip()


def test_killed_twice_it_goes_on_at_its_step_and_repeats_nothing(
    place: Path | str, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    with child(place, "--conversation-file", str(file)) as first:
        assert first.until_waiting() == "text.greeting"
        for line in ("환불해 주세요", "850312", "김민수", "010-0000-1234"):
            first.say(line)
        assert first.last_line == "billing.readback_refund"
        first.process.kill()
    token = token_in(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with child(place, "--conversation", token) as second:
        assert second.until_waiting() == "billing.readback_refund"
        assert second.of("conversation.resumed") == [{"step": "billing", "open": "confirm"}]
        second.give("네")
        assert second.until("refund.committed")["data"]["replayed"] is False
        second.process.kill()
    with child(place, "--conversation", token) as third:
        third.until_waiting()
        if third.last_line == "billing.readback_refund":
            third.say("네")
        assert third.say("환불 어떻게 됐어요?") == "billing.told"
        status, stderr = third.finish()
    assert status == 0
    assert all(each["replayed"] for each in third.of("refund.committed"))
    assert third.said()[-1].count("15,000원") == 1
    for each in (first, second, third):
        assert token not in str(each.events)
    assert token not in stderr


def test_processes_begin_at_once_and_have_one_talk_after_the_other(
    place: Path | str, tmp_path: Path
) -> None:
    """Turns of one conversation never interleave, whichever process they are in."""
    file = tmp_path / "token"
    with child(place, "--conversation-file", str(file)) as one, child(place) as stranger:
        assert one.until_waiting() == "text.greeting"
        assert stranger.until_waiting() == "text.greeting"
        with child(place, "--conversation", token_in(file)) as other:
            other.until_waiting()
            for words in ("주차 되나요?", "몇 시까지 해요?", "토요일에도 하나요?"):
                for each in (one, other, stranger):
                    each.give(words)
                for each in (one, other, stranger):
                    assert each.until_waiting() == "model.answer"
            for each in (one, other, stranger):
                assert each.finish()[0] == 0
                assert each.events[-1]["kind"] == "call.ended"

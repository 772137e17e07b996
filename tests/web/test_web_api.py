"""The HTTP API, its refusals, and what leaves the server."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest
from web_parts import HANBIT, ONNURI, World, bearer, world

from wonmu.errors import StoreFailure
from wonmu.web.limiter import Rate
from wonmu.web.limits import WebLimits

pytestmark = pytest.mark.unit

Play = Callable[[World, httpx.AsyncClient], Awaitable[None]]


def play(what: Play, given: World | None = None) -> World:
    made = given or world()

    async def run() -> None:
        transport = httpx.ASGITransport(app=made.app, client=("192.0.2.7", 5000))
        async with httpx.AsyncClient(transport=transport, base_url="http://chat.example") as web:
            await what(made, web)

    asyncio.run(run())
    return made


async def begun(web: httpx.AsyncClient, base: str = HANBIT) -> dict[str, str]:
    answer = await web.post(f"{base}/conversations")
    assert answer.status_code == 201, answer.text
    return bearer(answer.json()["conversation"])


async def say(
    web: httpx.AsyncClient, token: dict[str, str], text: str, **more: str
) -> httpx.Response:
    return await web.post(f"{HANBIT}/messages", json={"text": text, **more}, headers=token)


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_a_talk_from_beginning_to_end() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        answer = await web.post(f"{HANBIT}/conversations")
        opened = answer.json()
        assert opened == {
            "conversation": "han-0",
            "visit": opened["visit"],
            "messages": [{"seq": 1, "from": "desk", "text": "안녕하세요."}],
            "waiting": True,
            "ended": False,
        }
        token = bearer(opened["conversation"])
        said = await say(web, token, "예약이요", client_id="c1")
        assert [each["text"] for each in said.json()["messages"]] == ["예약이요", "echo: 예약이요"]
        assert (await say(web, token, "예약이요", client_id="c1")).json() == said.json()
        looked = await web.get(f"{HANBIT}/messages", headers=token)
        assert [each["seq"] for each in looked.json()["messages"]] == [1, 2, 3]
        after = await web.get(f"{HANBIT}/messages", params={"after": 2}, headers=token)
        assert [each["seq"] for each in after.json()["messages"]] == [3]
        gone = await web.delete(f"{HANBIT}/conversation", headers=token)
        assert (gone.status_code, gone.content) == (204, b"")
        for again in (
            await web.get(f"{HANBIT}/messages", headers=token),
            await web.delete(f"{HANBIT}/conversation", headers=token),
            await say(web, token, "네"),
        ):
            assert code(again) == (404, "unknown")
        assert world.hanbit.talks[0].heard == ["예약이요"]

    play(what)


def test_nothing_but_words_and_flags_leaves() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        token = await begun(web)
        text = (await say(web, token, "네")).text
        for inner in ("secret_tool", "digest", "call-", "span", "seq_", "turn"):
            assert inner not in text
        assert "han-0" not in text, "the token goes out once, when it is made"

    play(what)


def test_a_token_brings_its_conversation_back() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        token = await begun(web)
        assert (await say(web, token, "끝")).json()["ended"]
        back = await web.post(f"{HANBIT}/conversations", headers=token)
        assert back.status_code == 200
        assert "conversation" not in back.json()
        assert [each["text"] for each in back.json()["messages"]] == ["다시 오셨네요."]
        first = back.json()["visit"]
        assert code(await say(web, token, "네", visit="visit-99")) == (409, "visit_changed")
        assert (await say(web, token, "네", visit=first)).status_code == 200

    play(what)


def test_unknown_tokens_and_those_of_another_hospital_look_the_same() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        there = await begun(web, ONNURI)
        answers = [
            await web.request(method, f"{HANBIT}{path}", headers=token, json=body)
            for token in (there, bearer("guess"), bearer("another-guess"))
            for method, path, body in (
                ("GET", "/messages", None),
                ("POST", "/messages", {"text": "네"}),
                ("POST", "/conversations", None),
                ("DELETE", "/conversation", None),
            )
        ]
        assert {(each.status_code, each.text) for each in answers} == {(404, answers[0].text)}
        assert len(world.hanbit.asked) == 12, "each was looked up"
        impossible = await web.get(f"{HANBIT}/messages", headers=bearer("a b/../" + "x" * 999))
        assert (impossible.status_code, impossible.text) == (404, answers[0].text)
        unknown = await web.get("/api/v1/hospitals/nowhere/messages", headers=there)
        assert code(unknown) == (404, "unknown")

    play(what)


@pytest.mark.parametrize(
    ("body", "kind", "refused"),
    [
        (b"{", "application/json", (400, "bad_request")),
        (b"[1]", "application/json", (400, "bad_request")),
        (b'{"text": 5}', "application/json", (400, "bad_request")),
        (b'{"text": "  "}', "application/json", (422, "empty")),
        (json.dumps({"text": "가" * 1001}).encode(), "application/json", (422, "too_long")),
        (b'{"text": "' + b"a" * 20_000 + b'"}', "application/json", (413, "too_large")),
        (b'{"text": "a"}', "text/plain", (415, "not_json")),
        (b"text=a", "application/x-www-form-urlencoded", (415, "not_json")),
    ],
)
def test_bodies_that_are_no_message(body: bytes, kind: str, refused: tuple[int, str]) -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        headers = {**await begun(web), "Content-Type": kind}
        answer = await web.post(f"{HANBIT}/messages", content=body, headers=headers)
        assert code(answer) == refused
        assert answer.json()["error"]["message"]
        assert world.hanbit.talks[0].heard == []

    play(what)


def test_a_body_without_a_length_is_cut_off_too() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"a" * 4096

    async def what(world: World, web: httpx.AsyncClient) -> None:
        headers = {**await begun(web), "Content-Type": "application/json"}
        answer = await web.post(f"{HANBIT}/messages", content=endless(), headers=headers)
        assert code(answer) == (413, "too_large")

    play(what)


def test_the_longest_message_fits_however_it_is_written() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        token = await begun(web)
        headers = {**token, "Content-Type": "application/json"}
        body = json.dumps({"text": "😀" * 1000, "client_id": "c" * 64})
        answer = await web.post(f"{HANBIT}/messages", content=body, headers=headers)
        assert answer.status_code == 200, answer.text

    play(what)


def test_markup_stays_text() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        evil = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
        answer = await say(web, await begun(web), evil)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.json()["messages"][0]["text"] == evil

    play(what)


def test_who_opens_too_many_waits_as_long_as_it_is_told() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        for _ in range(2):
            await begun(web)
        many = await web.post(f"{HANBIT}/conversations")
        assert code(many) == (429, "too_many")
        assert many.headers["retry-after"] == "10"
        assert many.json()["error"]["retry_after"] == 10
        assert "잠시 뒤에" in many.json()["error"]["message"]
        world.clock.advance(10)
        await begun(web)

    play(what, world(WebLimits(opening=Rate(2, 0.1))))


def test_messages_are_limited_for_a_conversation_and_for_an_address() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        one, two = await begun(web), await begun(web)
        assert [(await say(web, one, "네")).status_code for _ in range(3)] == [200, 200, 429]
        assert [(await say(web, two, "네")).status_code for _ in range(2)] == [200, 429]
        assert [talk.heard for talk in world.hanbit.talks] == [["네", "네"], ["네"]]

    play(what, world(WebLimits(messages=Rate(2, 0.01), address_messages=Rate(3, 0.01))))


def test_every_request_counts_and_addresses_are_apart() -> None:
    limits = WebLimits(requests=Rate(2, 0.1))

    async def what(world: World, web: httpx.AsyncClient) -> None:
        for _ in range(2):
            await web.get(f"{HANBIT}/messages")
        assert code(await web.get(f"{HANBIT}/messages")) == (429, "too_many")
        spoofed = {"X-Forwarded-For": "203.0.113.5"}
        assert code(await web.get(f"{HANBIT}/messages", headers=spoofed)) == (429, "too_many")

    async def through_a_proxy(world: World, web: httpx.AsyncClient) -> None:
        for last in range(5):
            headers = {"X-Forwarded-For": f"203.0.113.{last}"}
            answer = await web.get(f"{HANBIT}/messages", headers=headers)
            assert code(answer) == (404, "unknown")

    play(what, world(limits))
    play(through_a_proxy, world(limits, proxies=("192.0.2.7",)))


def test_a_long_answer_is_not_waited_for_but_comes() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        token = await begun(web)
        slow = await say(web, token, "잠깐", client_id="c1")
        assert (slow.status_code, slow.json()["waiting"]) == (202, False)
        world.hanbit.talks[0].go_on.set()
        again = await say(web, token, "잠깐", client_id="c1")
        assert again.json()["messages"][1]["text"] == "echo: 잠깐"
        assert world.hanbit.talks[0].heard == ["잠깐"]

    play(what, world(WebLimits(turn_seconds=0.01)))


def test_our_faults_are_told_without_what_they_hold(caplog: pytest.LogCaptureFixture) -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        token = await begun(web)
        assert code(await say(web, token, "고장")) == (500, "failed")

        async def broken(token: str) -> None:
            raise StoreFailure(f"the row of {token} for 김민수 could not be read")

        world.hanbit.resume = broken  # type: ignore[method-assign]
        answer = await web.get(f"{HANBIT}/messages", headers=bearer("guess"))
        assert code(answer) == (500, "failed")
        assert "김민수" not in answer.text

    with caplog.at_level(logging.DEBUG, logger="wonmu"):
        play(what)
    assert "StoreFailure" in caplog.text
    assert "김민수" not in caplog.text


NAMED = "https://www.hospital.example"


def test_only_named_pages_are_answered() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        ok = await web.post(f"{HANBIT}/conversations", headers={"Origin": NAMED})
        assert ok.headers["access-control-allow-origin"] == NAMED
        assert "access-control-allow-credentials" not in ok.headers
        own = await web.post(f"{HANBIT}/conversations", headers={"Origin": "http://chat.example"})
        assert own.status_code == 201
        evil = await web.post(f"{HANBIT}/conversations", headers={"Origin": "https://evil.example"})
        assert code(evil) == (403, "foreign_origin")
        assert "access-control-allow-origin" not in evil.headers
        assert len(world.hanbit.talks) == 2
        asked = {
            "Access-Control-Request-Method": "DELETE",
            "Access-Control-Request-Headers": "authorization",
        }
        path = f"{HANBIT}/conversation"
        yes = await web.options(path, headers={**asked, "Origin": NAMED})
        no = await web.options(path, headers={**asked, "Origin": "https://evil.example"})
        assert yes.headers["access-control-allow-origin"] == NAMED
        assert "access-control-allow-origin" not in no.headers

    play(what, world(origins=(NAMED,)))


def test_without_named_pages_there_is_no_cors() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        answer = await web.post(f"{HANBIT}/conversations", headers={"Origin": NAMED})
        assert code(answer) == (403, "foreign_origin")
        looked = await web.get(f"{HANBIT}/messages", headers={"Origin": NAMED})
        assert "access-control-allow-origin" not in looked.headers

    play(what)


def test_the_access_log_names_nobody() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        token = await begun(web)
        await say(web, token, "비밀이에요")
        await web.get(f"/api/v1/hospitals/{token['Authorization'].split()[1]}/messages")
        await web.get(f"/{token['Authorization'].split()[1]}")
        await web.get("/")

    made = play(what)
    log = " ".join(map(str, made.accesses))
    assert [(each.hospital, each.op, each.status) for each in made.accesses] == [
        ("hanbit", "open", 201),
        ("hanbit", "say", 200),
        ("", "look", 404),
        ("", "other", 404),
        ("", "page", 200),
    ]
    for inner in ("han-0", "비밀", "192.0.2.7"):
        assert inner not in log
    assert len({each.who for each in made.accesses}) == 1


def test_no_cookie_and_no_referrer_anywhere() -> None:
    async def what(world: World, web: httpx.AsyncClient) -> None:
        token = await begun(web)
        answers = [
            await say(web, token, "네"),
            await web.get("/"),
            await web.get("/h/hanbit"),
            await web.get("/static/widget.js"),
            await web.get(f"{HANBIT}/widget"),
            await web.get("/nowhere"),
        ]
        for answer in answers:
            assert "set-cookie" not in answer.headers
            assert answer.headers["referrer-policy"] == "no-referrer"
        assert answers[0].headers["cache-control"] == "no-store"

    play(what)

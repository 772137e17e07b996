"""A hospital whose record system is a FHIR server: opening its desk (B2, A8)."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from fhir_fake import NOW, FakeServer, reply, window

from wonmu.clock import FixedClock
from wonmu.emr.fhir import open_fhir
from wonmu.emr.fhir.opening import open_checked
from wonmu.errors import EmrFailure, EmrFault, InputError
from wonmu.hospital.config import CommitMode, EmrKind, FhirSettings, Hospital, WriteRule
from wonmu.hospital.loading import load_hospitals
from wonmu.loop import LoopClock, run
from wonmu.office import open_office

pytestmark = pytest.mark.service

CLOCK = FixedClock(NOW)


@contextmanager
def serving(fake: FakeServer) -> Iterator[str]:
    """The fake behind a real socket on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            url = f"http://emr.test{self.path}"
            told = fake.handle(
                httpx.Request(self.command, url, headers=dict(self.headers), content=body)
            )
            self.send_response(told.status_code)
            self.send_header("Content-Length", str(len(told.content)))
            self.end_headers()
            self.wfile.write(told.content)

        do_GET = do_POST = do_PUT = answer

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/fhir"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def hospital(url: str, write: WriteRule = WriteRule.AUTO) -> Hospital:
    demo = load_hospitals().all()[0]
    settings = FhirSettings(url=url, write=write)
    emr = demo.emr.model_copy(update={"kind": EmrKind.FHIR, "fhir": settings})
    return demo.model_copy(update={"emr": emr})


def test_the_desk_reads_from_the_server_and_makes_no_records_of_its_own(tmp_path: Path) -> None:
    async def main(url: str) -> None:
        office = await open_office(hospital(url), tmp_path, CLOCK)
        assert office.records is None
        assert len((await office.emr.find_slots(window())).slots) == 12
        await office.close()

    with serving(FakeServer()) as url:
        asyncio.run(main(url))
    assert not list(tmp_path.glob("emr-*"))


def test_a_server_that_is_down_stops_nobody_and_is_no_empty_list(tmp_path: Path) -> None:
    with serving(FakeServer()) as url:
        pass

    async def main() -> None:
        office = await open_office(hospital(url), tmp_path, CLOCK)
        with pytest.raises(EmrFailure) as caught:
            await office.emr.find_slots(window())
        assert caught.value.fault is EmrFault.UNREACHABLE
        await office.close()

    asyncio.run(main())


def told(**change: Any) -> FakeServer:
    fake = FakeServer()
    statement = {**fake.statement(), **change}
    fake.before = lambda request, number: (
        reply(200, statement) if request.url.path.endswith("metadata") else None
    )
    return fake


@pytest.mark.parametrize(
    ("fake", "write", "words"),
    [
        (told(fhirVersion="5.0.0"), WriteRule.AUTO, "another version"),
        (told(rest=[]), WriteRule.SLOT_CLAIM, "slot_claim: the server takes no appointments"),
        (told(), WriteRule.HOLD_AND_BOOK, "no $book"),
    ],
)
def test_what_the_server_has_not_stops_the_desk(
    tmp_path: Path, fake: FakeServer, write: WriteRule, words: str
) -> None:
    with serving(fake) as url:
        with pytest.raises(InputError, match=re.escape(words)) as caught:
            asyncio.run(open_office(hospital(url, write), tmp_path, CLOCK))
    assert "\n" not in str(caught.value)


def test_direct_commits_need_a_server_that_can_be_written(tmp_path: Path) -> None:
    async def main(url: str) -> None:
        base = hospital(url)
        direct = base.booking.model_copy(update={"commit_mode": CommitMode.DIRECT})
        with pytest.raises(InputError, match="commit_mode is direct"):
            await open_checked(base.model_copy(update={"booking": direct}), CLOCK)
        emr = await open_checked(base, CLOCK)
        await emr.close()

    with serving(told(rest=[])) as url:
        asyncio.run(main(url))


def test_virtual_time_does_not_outrun_the_server(tmp_path: Path) -> None:
    """On the call's loop waits cost nothing; a request over a socket still keeps real time."""

    async def main(url: str) -> float:
        clock = LoopClock(NOW)
        emr = open_fhir(FhirSettings(url=url), clock, env={})
        await emr.find_slots(window())
        await emr.close()
        return clock.mono()

    with serving(FakeServer()) as url:
        assert run(lambda: main(url)) < 5.0

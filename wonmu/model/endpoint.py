"""Any OpenAI-compatible endpoint as a rung of the ladder.

Asks once, streams, and hands on what comes, with the endpoint's own finish reason. It never tries
again (the next try is the next rung), never allows several tool calls, and never turns a stream
that broke off into a finished answer: where no finish reason came, there is no ``Done``. The client
is imported when the first request goes out; it is slow to import.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wonmu.loop import outside
from wonmu.model.port import ChatRequest, Delta, Done, TextDelta, ToolCallDelta

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NO_KEY = "none"
"""Local servers want a header but no secret in it."""


class EndpointFault(ConnectionError):
    """The endpoint refused, broke off, was too slow, or sent what cannot be read.

    The message names the kind of failure and holds nothing of request or answer.
    """


ENDPOINT_ERRORS: tuple[type[Exception], ...] = (EndpointFault,)
"""What ``EndpointRung.open`` raises when its model fails; anything else is a fault of ours."""


@dataclass(frozen=True, slots=True)
class EndpointTimeouts:
    """Seconds for the parts of one request. The ladder's own limits are usually shorter.

    ``connect``: until the connection stands. ``read``: between two pieces of the answer.
    """

    connect: float = 3.0
    read: float = 10.0


class EndpointRung:
    """One model behind an address such as ``http://127.0.0.1:8090/v1``."""

    def __init__(
        self,
        url: str,
        model_name: str,
        api_key: str | None = None,
        timeouts: EndpointTimeouts | None = None,
    ) -> None:
        self.url = url
        self._model_name = model_name
        self._api_key = api_key or NO_KEY
        self._timeouts = timeouts if timeouts is not None else EndpointTimeouts()
        self._client: AsyncOpenAI | None = None
        self._home: asyncio.AbstractEventLoop | None = None

    @property
    def name(self) -> str:
        return self._model_name

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """The deltas of one answer.

        Raises:
            EndpointFault: the model failed.
        """
        from openai import OpenAIError

        # ValueError and TypeError: what the client's reader raises for lines that are no chunks.
        faults = (OpenAIError, ValueError, TypeError)
        try:
            with outside():
                stream = await self._ask(request)
            async with aclosing(_Reading(stream)) as reading:
                async for delta in _deltas_of(reading):
                    yield delta
        except faults as error:
            status = getattr(error, "status_code", None)
            detail = f" {status}" if isinstance(status, int) else ""
            raise EndpointFault(f"{type(error).__name__}{detail}") from error

    async def aclose(self) -> None:
        """Let the connections go. The rung may be asked again afterwards."""
        client, self._client = self._client, None
        if client is not None and self._home is asyncio.get_running_loop():
            with outside():
                await client.close()

    async def _ask(self, request: ChatRequest) -> Any:
        body: dict[str, Any] = {"messages": [dict(message) for message in request.messages]}
        if request.tools:  # some servers refuse the choices where there are no tools
            body["tools"] = [dict(tool) for tool in request.tools]
            body["tool_choice"] = request.tool_choice
            body["parallel_tool_calls"] = False
        client = self._connected()
        return await client.chat.completions.create(model=self._model_name, stream=True, **body)

    def _connected(self) -> AsyncOpenAI:
        """The client; a new one for another event loop, since connections belong to a loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._home is not loop:
            from openai import AsyncOpenAI, Timeout

            limits = Timeout(self._timeouts.read, connect=self._timeouts.connect)
            self._client = AsyncOpenAI(
                base_url=self.url, api_key=self._api_key, max_retries=0, timeout=limits
            )
            self._home = loop
        return self._client


class _Reading:
    """The chunks of a stream; only the wait for the next one is outside."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._chunks = aiter(stream)

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> Any:
        with outside():
            return await anext(self._chunks)

    async def aclose(self) -> None:
        with outside():
            await self._stream.close()


async def _deltas_of(chunks: _Reading) -> AsyncIterator[Delta]:
    """Servers differ in what they leave out, so everything may be missing here."""
    async for chunk in chunks:
        choices = getattr(chunk, "choices", None)
        if not isinstance(choices, list) or not choices:
            continue
        delta = getattr(choices[0], "delta", None)
        content = getattr(delta, "content", None)
        if isinstance(content, str) and content:
            yield TextDelta(content)
        for at, call in enumerate(getattr(delta, "tool_calls", None) or ()):
            yield _call_of(at, call)
        finish = getattr(choices[0], "finish_reason", None)
        if isinstance(finish, str) and finish:
            yield Done(finish)
            return


def _call_of(at: int, call: Any) -> ToolCallDelta:
    function = getattr(call, "function", None)
    index = getattr(call, "index", None)
    return ToolCallDelta(
        index if isinstance(index, int) else at,
        _text(getattr(call, "id", None)),
        _text(getattr(function, "name", None)),
        _text(getattr(function, "arguments", None)),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

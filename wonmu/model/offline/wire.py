"""The built-in model behind the OpenAI chat wire, for other clients and for tests.

Decides nothing about talk: it reads requests strictly, and answers what cannot be read with 400 in
the error shape of that wire. FastAPI and uvicorn come with the extra ``serve``; they are imported
only when an app is made, so that the model itself stays light. Wire format:
https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wonmu.errors import InputError
from wonmu.ids import IdSource, RandomIds
from wonmu.model.offline.brain import complete
from wonmu.model.port import ChatRequest, Delta, Done, TextDelta, ToolCallDelta, ToolChoice

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

MODEL_NAME = "wonmu-builtin"
_LARGEST_BODY = 4 * 1024 * 1024
"""Bytes; a prompt of a hospital is some tens of kilobytes."""
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})


class BadRequest(InputError):
    """A request that cannot be read. ``param`` names the field, or is None."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


def create_app(ids: IdSource | None = None) -> FastAPI:
    """The web app with ``/v1/chat/completions`` and ``/v1/models``.

    Raises:
        InputError: the extra ``serve`` is not installed.
    """
    try:
        from fastapi import FastAPI
    except ImportError as missing:
        raise InputError(
            'serving the model needs the extra: pip install "wonmu[serve]"'
        ) from missing
    from starlette.responses import JSONResponse

    source = ids if ids is not None else RandomIds()
    app = FastAPI(title="Wonmu built-in model", docs_url=None, redoc_url=None)

    async def completions(request: Request) -> Response:
        try:
            return _respond(_body(await request.body()), source.new("chatcmpl"))
        except BadRequest as bad:
            return JSONResponse(_error(str(bad), bad.param), status_code=400)

    async def models(request: Request) -> Response:
        entry = {"id": MODEL_NAME, "object": "model", "created": 0, "owned_by": "wonmu"}
        return JSONResponse({"object": "list", "data": [entry]})

    app.add_route("/v1/chat/completions", completions, methods=["POST"])
    app.add_route("/v1/models", models, methods=["GET"])
    return app


def serve(host: str, port: int) -> None:
    """Serve until interrupted.

    Raises:
        InputError: the extra ``serve`` is not installed.
    """
    app = create_app()
    import uvicorn

    uvicorn.run(app, host=host, port=port, log_level="warning")


def _error(message: str, param: str | None) -> dict[str, Any]:
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": None}}


def _body(raw: bytes) -> Mapping[str, Any]:
    if len(raw) > _LARGEST_BODY:
        raise BadRequest(f"the body is larger than {_LARGEST_BODY} bytes")
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON") from None
    if not isinstance(body, dict):
        raise BadRequest("the body must be a JSON object")
    return body


def read_request(body: Mapping[str, Any]) -> ChatRequest:
    """A request as the model takes it.

    Raises:
        BadRequest: a field is missing or of the wrong kind.
    """
    messages = _messages(body.get("messages"))
    tools = _tools(body.get("tools"))
    request = ChatRequest(messages, tools, _tool_choice(body.get("tool_choice")))
    if request.must_call() and not request.callable_tools():
        raise BadRequest("tool_choice asks for a tool that is not offered", "tool_choice")
    return request


def _tool_choice(value: object) -> ToolChoice:
    match value:
        case None:
            return "auto"
        case "auto" | "none" | "required":
            return value
        case dict():
            return value
    raise BadRequest('tool_choice must be "auto", "none", "required" or a tool', "tool_choice")


def _messages(value: object) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list) or not value:
        raise BadRequest("messages must be a list with at least one message", "messages")
    for at, message in enumerate(value):
        where = f"messages[{at}]"
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            raise BadRequest(f"{where} needs a role of {', '.join(sorted(_ROLES))}", where)
        if not isinstance(message.get("content"), str | list | None):
            raise BadRequest(f"{where}.content must be text or parts", f"{where}.content")
    return tuple(value)


def _tools(value: object) -> tuple[Mapping[str, Any], ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadRequest("tools must be a list", "tools")
    request = ChatRequest((), tuple(tool for tool in value if isinstance(tool, dict)))
    if len(request.tool_names()) != len(value):
        raise BadRequest("each tool needs a function with a name", "tools")
    return request.tools


def _respond(body: Mapping[str, Any], answer_id: str) -> Response:
    from starlette.responses import JSONResponse, StreamingResponse

    request = read_request(body)
    model = body.get("model")
    head = {"id": answer_id, "created": 0, "model": model if isinstance(model, str) else MODEL_NAME}
    answer = complete(request)
    if not body.get("stream"):
        return JSONResponse(_whole(head, answer))
    options = body.get("stream_options")
    wants_usage = isinstance(options, dict) and bool(options.get("include_usage"))
    return StreamingResponse(_events(head, answer, wants_usage), media_type="text/event-stream")


_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
"""Rules count no tokens."""


def _whole(head: Mapping[str, Any], answer: Sequence[Delta]) -> dict[str, Any]:
    text = "".join(delta.text for delta in answer if isinstance(delta, TextDelta))
    calls = [_call(delta) for delta in answer if isinstance(delta, ToolCallDelta)]
    reason = next((d.finish_reason for d in answer if isinstance(d, Done)), "stop")
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    return {**head, "object": "chat.completion", "choices": [choice], "usage": _USAGE}


async def _events(
    head: Mapping[str, Any], answer: Sequence[Delta], wants_usage: bool
) -> AsyncIterator[str]:
    """Server-sent events: the role, each delta, the finish, and the end mark."""
    yield _event(head, {"role": "assistant", "content": ""}, None)
    for delta in answer:
        match delta:
            case TextDelta(text):
                yield _event(head, {"content": text}, None)
            case ToolCallDelta(index):
                yield _event(head, {"tool_calls": [{"index": index, **_call(delta)}]}, None)
            case Done(reason):
                yield _event(head, {}, reason)
    if wants_usage:
        chunk = {**head, "object": "chat.completion.chunk", "choices": [], "usage": _USAGE}
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"


def _call(delta: ToolCallDelta) -> dict[str, Any]:
    function = {"name": delta.name, "arguments": delta.arguments}
    return {"id": delta.id, "type": "function", "function": function}


def _event(head: Mapping[str, Any], delta: Mapping[str, Any], reason: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
    chunk = {**head, "object": "chat.completion.chunk", "choices": [choice]}
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"

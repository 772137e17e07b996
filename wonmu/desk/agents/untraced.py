"""LangChain without telemetry and without threads, whatever the environment says.

LangSmith would send every message, a caller's words among them, to a server as soon as an
environment variable asks for it. Everything of ours that runs a LangChain agent does so inside
``untraced()``; it must never depend on how a machine is set up.

LangChain also wraps each hook of a middleware in LangSmith's bookkeeping, which runs in a thread
even with tracing off. Such a thread costs a switch on each hook, outlives a cancelled call, and is
outrun by the conversation's time, so that limits of seconds would strike at once. Here that
bookkeeping runs in place.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_OLD_TRACING = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")
"""Variables of the first tracer. LangChain refuses to run when one is set and tracing is off."""


@contextmanager
def untraced() -> Iterator[None]:
    """While inside, and in tasks begun inside, nothing is traced.

    For good, and for the whole process: the variables of the first tracer are taken out of the
    environment, and LangSmith runs in no threads.
    """
    from langsmith import set_runtime_overrides, tracing_context

    for name in _OLD_TRACING:
        os.environ.pop(name, None)
    set_runtime_overrides(aio_to_thread=_in_place)
    with tracing_context(enabled=False):
        yield


async def _in_place(
    threaded: Callable[..., Awaitable[object]],
    ctx: Context,
    func: Callable[P, R],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> R:
    """Instead of ``threaded``."""
    return ctx.run(func, *args, **kwargs)

"""Which models a call may ask, from the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wonmu.errors import InputError

if TYPE_CHECKING:
    from livekit.agents import llm

    from wonmu.model.port import Rung

BUILTIN = "builtin"


def check_model(model: str) -> None:
    """Raises ``InputError`` unless it is ``builtin`` or an http address."""
    if model == BUILTIN:
        return
    try:
        parts = urlsplit(model)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise InputError(
            f"--model {model}: is neither builtin nor an address like http://127.0.0.1:8090/v1"
        )


def models_of(model: str, name: str) -> tuple[llm.LLM[str], ...]:
    """The models asked before the built-in one. The plugin is imported only when it is used."""
    check_model(model)
    if model == BUILTIN:
        return ()
    from livekit.plugins import openai

    key = os.environ.get("OPENAI_API_KEY", "none")
    return (openai.LLM(model=name, base_url=model, api_key=key, parallel_tool_calls=False),)


def rungs_of(model: str, name: str) -> tuple[Rung, ...]:
    """The same models for whoever does not talk through LiveKit; ``InputError`` as above."""
    check_model(model)
    if model == BUILTIN:
        return ()
    from wonmu.model.endpoint import EndpointRung

    return (EndpointRung(model, name, os.environ.get("OPENAI_API_KEY")),)

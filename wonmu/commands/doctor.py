"""``wonmu doctor``: settings, database and model, each with a sentence when something is wrong."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from wonmu.commands.common import hospitals_of, moment_of
from wonmu.commands.models import BUILTIN, check_model, models_of
from wonmu.errors import InputError, WonmuError

MODEL_SECONDS = 8.0


def run_doctor(settings: str | None, data: str | None, model: str, model_name: str) -> int:
    """0 when all is well, 2 when something must be changed."""
    checks: list[tuple[str, Callable[[], str]]] = [
        ("settings", lambda: _settings(settings)),
        ("database", lambda: _database(settings, data)),
        ("model", lambda: _model(model, model_name)),
    ]
    wrong: set[str] = set()
    for name, check in checks:
        if name == "database" and "settings" in wrong:
            sys.stdout.write("–     database: not looked at; the settings come first\n")
            continue
        try:
            sys.stdout.write(f"ok    {name}: {check()}\n")
        except WonmuError as error:
            wrong.add(name)
            sys.stdout.write(f"wrong {name}: {error}\n")
    return 2 if wrong else 0


def _settings(settings: str | None) -> str:
    found = hospitals_of(settings).all()
    return ", ".join(f"{each.id} ({each.name})" for each in found)


def _database(settings: str | None, data: str | None) -> str:
    from wonmu.loop import LoopClock, run
    from wonmu.office import open_office

    hospital = hospitals_of(settings).all()[0]

    async def main() -> None:
        with tempfile.TemporaryDirectory(prefix="wonmu-doctor-") as scratch:
            folder = Path(data) if data is not None else Path(scratch)
            office = await open_office(hospital, folder, LoopClock(moment_of(None)))
            await office.close()

    run(main)
    where = data if data is not None else "a temporary folder (none given with --data)"
    return f"the stores can be opened and written in {where}"


def _model(model: str, model_name: str) -> str:
    check_model(model)
    if model == BUILTIN:
        return "the built-in model (rules, not a language model)"
    from livekit.agents import APIError, llm

    context = llm.ChatContext.empty()
    context.add_message(role="user", content="여보세요?")

    async def main() -> None:
        [endpoint] = models_of(model, model_name)
        async with asyncio.timeout(MODEL_SECONDS):
            async with endpoint.chat(chat_ctx=context) as stream:
                async for _ in stream:
                    return
        raise InputError(f"--model {model}: answered nothing; check the model's name")

    try:
        asyncio.run(main())
    except TimeoutError:
        raise InputError(f"--model {model}: no answer within {MODEL_SECONDS:.0f} s") from None
    except (APIError, OSError) as error:
        raise InputError(
            f"--model {model}: cannot be used ({type(error).__name__}); is it running, and is "
            "the address complete, for example http://127.0.0.1:8090/v1"
        ) from error
    return f"{model_name} at {model} answers"

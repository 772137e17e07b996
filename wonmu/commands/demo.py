"""``wonmu demo``: a scripted caller through the same door, and what staff will see."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from wonmu.commands.listing import show_inbox
from wonmu.demos import DEMOS, NOW
from wonmu.errors import InputError


def list_demos() -> int:
    for name, demo in DEMOS.items():
        sys.stdout.write(f"{name}: {demo.title}\n")
    return 0


def run_demo(name: str) -> int:
    """Play one demo on stores of its own; raises ``InputError`` for an unknown name."""
    demo = DEMOS.get(name)
    if demo is None:
        raise InputError(f"there is no demo {name}; known are {', '.join(DEMOS)}")
    # LiveKit takes seconds to import; a list of names does not wait for it.
    from wonmu.chat import PlainView, Script
    from wonmu.commands.chat import CallPlan, ChatOptions, play
    from wonmu.ids import RandomIds
    from wonmu.loop import INSTANT, run

    options = ChatOptions(hospital=demo.hospital, caller=demo.caller, now=NOW, staff=demo.staff)
    show = PlainView(sys.stdout)
    plan = replace(CallPlan.of(options, RandomIds()), faults=demo.faults)
    with tempfile.TemporaryDirectory(prefix="wonmu-demo-") as folder:
        data = Path(folder)
        status = run(lambda: play(plan, Script(list(demo.lines)), show, data), speed=INSTANT)
        sys.stdout.write("\n직원이 보게 되는 기록 (wonmu inbox):\n")
        show_inbox(folder, None, False)
    others = ", ".join(each for each in DEMOS if each != name)
    sys.stdout.write(f"\n다른 시연 (wonmu demo 이름): {others}\n")
    return status

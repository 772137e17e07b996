"""The keypad menu (T6, R104, R116).

A key that the hospital's menu names is a settled wish: the tool is forced, no model chooses it. A
key for information becomes an ordinary question without tools. Keys mean something only while
nothing collects keys; inside a task only the key for a person does. Any other key is dropped and
noted; it must never leak into a question that comes later.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from livekit.agents import AgentTask

from wonmu.call.state import Choice
from wonmu.hospital.config import KeypadMenu, MenuAction, MenuEntry
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call

BOUNCE_SECONDS = 0.6
"""The chosen key again (or #) within this time is the same press: too soon for any question."""

ALONE_SECONDS = 1.5
"""A 0 in the middle of a task is meant for a person only when no digit follows (010-…)."""

PERSON_DIGIT = "0"
"""What callers press to reach a person from anywhere, where the menu has it so (R116)."""

_ACTION = {
    MenuAction.CREATE: Action.BOOKING_CREATE,
    MenuAction.INQUIRE: Action.BOOKING_INQUIRE,
    MenuAction.CHANGE: Action.BOOKING_CHANGE,
    MenuAction.CANCEL: Action.BOOKING_CANCEL,
    MenuAction.BILLING: Action.BILLING_ASK,
    MenuAction.PERSON: Action.CONNECT_PERSON,
}
_NAME = {
    MenuAction.CREATE: "menu.create",
    MenuAction.INQUIRE: "menu.inquire",
    MenuAction.CHANGE: "menu.change",
    MenuAction.CANCEL: "menu.cancel",
    MenuAction.BILLING: "menu.billing",
    MenuAction.PERSON: "menu.person",
}


class Menu:
    """The menu of one call. Without one in the settings every key is dropped."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._menu: KeypadMenu | None = call.desk.hospital.keypad_menu
        self._wrong = 0
        self._chosen: tuple[str, float] = ("", -BOUNCE_SECONDS)
        self._alone: asyncio.TimerHandle | None = None

    # Words -----------------------------------------------------------------------------------

    def announcement(self) -> str | None:
        """What is said after the greeting; None where nothing is."""
        if self._menu is None or not self._menu.announce:
            return None
        return self._call.lines.say("menu.announce", items=self._items(self._menu))

    def _items(self, menu: KeypadMenu) -> str:
        say = self._call.lines.say
        return ", ".join(
            say("menu.item", name=self._name(entry), digit=entry.digit) for entry in menu.entries
        )

    def _name(self, entry: MenuEntry) -> str:
        return entry.name or self._call.lines.say(_NAME[entry.action])

    # Keys ------------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        """A key that nobody collects."""
        followed, self._alone = self._alone, None
        if followed is not None:
            followed.cancel()
            self._call.floor.release("menu")
            self._dropped()
        elif self._menu is None or self.repeats(key):
            self._dropped()
        elif self._in_task() or self._call.recorder.is_open(Kind.TOOL_STARTED):
            self._at_work(self._menu, key)
        elif (entry := self._entry(self._menu, key)) is not None:
            self._choose(entry, key)
        else:
            self._wrong_key(self._menu)

    def stop(self) -> None:
        if self._alone is not None:
            self._alone.cancel()
            self._alone = None
            self._call.floor.release("menu")

    def _in_task(self) -> bool:
        return isinstance(self._call.session.current_agent, AgentTask)

    def _entry(self, menu: KeypadMenu, key: str) -> MenuEntry | None:
        return menu.entry(int(key)) if key.isdigit() else None

    def repeats(self, key: str) -> bool:
        """Whether this is still the press that chose, not an answer to what follows it."""
        last, at = self._chosen
        soon = asyncio.get_running_loop().time() - at < BOUNCE_SECONDS
        return soon and key in (last, "#")

    def _at_work(self, menu: KeypadMenu, key: str) -> None:
        entry = self._entry(menu, key) if key == PERSON_DIGIT else None
        if entry is None or entry.action is not MenuAction.PERSON:
            self._dropped()
        elif self._in_task():
            self._wait_alone(entry, key)
        elif self._call.state.tool_open:
            self._choose(entry, key)
        else:
            # A person is being connected already.
            self._dropped()

    def _wait_alone(self, entry: MenuEntry, key: str) -> None:
        def alone() -> None:
            self._alone = None
            self._call.floor.release("menu")
            if not self._call.state.latch.closed:
                self._choose(entry, key)

        self._call.floor.hold("menu")
        self._alone = asyncio.get_running_loop().call_later(ALONE_SECONDS, alone)

    def _choose(self, entry: MenuEntry, key: str) -> None:
        self._chosen = (key, asyncio.get_running_loop().time())
        self._wrong = 0
        data = {"masked": "•", "used": True, "done": True, "choice": entry.action.value}
        self._call.recorder.write(Kind.KEYPAD_PRESSED, data)
        self._call.caller.chooses(self._choice(entry))

    def _choice(self, entry: MenuEntry) -> Choice:
        if entry.action is MenuAction.INFO:
            return Choice(None, entry.question or self._name(entry))
        note = self._call.lines.say("menu.note", digit=entry.digit, name=self._name(entry))
        return Choice(_ACTION[entry.action], note)

    def _wrong_key(self, menu: KeypadMenu) -> None:
        """Said with the menu once, then without it; never over an answer."""
        speaking = self._call.voice.speaking
        opening = speaking is not None and speaking.line in ("greeting", "menu.announce")
        if self._call.floor.busy and not opening:
            self._dropped()
            return
        data = {"masked": "•", "used": False, "done": True}
        self._call.recorder.write(Kind.KEYPAD_PRESSED, data)
        self._wrong += 1
        self._call.caller.talks_over()
        if self._wrong == 1:
            self._call.say("menu.wrong", items=self._items(menu))
        else:
            self._call.say("menu.wrong_again")

    def _dropped(self) -> None:
        self._call.recorder.write(Kind.KEYPAD_PRESSED, {"masked": "•", "used": False})

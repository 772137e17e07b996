"""Somebody at the desk is faster: the fault ``taken``."""

from __future__ import annotations

from wonmu.emr.server.claims import held_slot
from wonmu.emr.server.interaction import Answer, Interaction
from wonmu.emr.server.operations import HELD, PROPOSED
from wonmu.emr.server.problems import Json
from wonmu.emr.server.tx import Store
from wonmu.emr.server.values import at_path, reference
from wonmu.ids import SlotId


async def take_named_slot(store: Store, asked: Interaction, base: str) -> None:
    """Take every slot that a request names, in its address, its body or through a hold."""
    identities = {asked.target.id} if asked.target.kind == "Slot" else set()
    for text in _strings(asked.body):
        pair = reference(text, base)
        if pair is not None and pair[0] == "Slot":
            identities.add(pair[1])
        elif pair is not None and pair[0] == "Appointment":
            identities |= await _behind(store, pair[1], base)
    for identity in identities - {""}:
        await store.records.desk_book(SlotId(identity))


async def _behind(store: Store, identity: str, base: str) -> set[str]:
    if identity.startswith(PROPOSED):
        return {identity.removeprefix(PROPOSED)}
    async with store.read(base) as tx:
        slot = await held_slot(tx, identity.removeprefix(HELD))
    return {slot} if slot is not None else set()


async def take_first_hit(store: Store, answer: Answer) -> None:
    """Take the first slot of a search's answer: it is gone when the client wants it."""
    for resource in at_path(answer.resource or {}, "entry.resource"):
        if resource.get("resourceType") == "Slot":
            await store.records.desk_book(SlotId(resource["id"]))
            return


def _strings(value: Json | list[object] | object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in _strings(each)]
    if isinstance(value, list):
        return [text for each in value for text in _strings(each)]
    return []

"""The CapabilityStatement: what this server does, read from the same tables that do it."""

from __future__ import annotations

from importlib.metadata import version

from wonmu.emr.server.interaction import OPERATIONS
from wonmu.emr.server.kinds import KINDS
from wonmu.emr.server.kinds.base import Kind
from wonmu.emr.server.params import PARAMS, Type
from wonmu.emr.server.problems import Json
from wonmu.emr.server.rules import PATIENT_PROFILE, PRACTITIONER_PROFILE
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.values import local

FHIR_VERSION = "4.0.1"
_IHE = "http://profiles.ihe.net/ITI/Scheduling/OperationDefinition"
"""Canonical addresses of the operations of IHE ITI Scheduling."""
_PROFILES = {"Patient": PATIENT_PROFILE, "Practitioner": PRACTITIONER_PROFILE}


def capability_statement(tx: Tx) -> Json:
    return {
        "resourceType": "CapabilityStatement",
        "status": "active",
        "date": local(tx.started),
        "kind": "instance",
        "software": {"name": "Wonmu reference record system", "version": version("wonmu")},
        "implementation": {
            "description": f"Slots belong to the {tx.rules.slot_owner}",
            "url": tx.base,
        },
        "fhirVersion": FHIR_VERSION,
        "format": ["json"],
        "rest": [_rest(tx)],
    }


def _rest(tx: Tx) -> Json:
    rest: Json = {
        "mode": "server",
        "resource": [_resource(tx, kind) for kind in KINDS.values()],
        "interaction": [{"code": "batch"}],
    }
    if tx.rules.transactions:
        rest["interaction"].insert(0, {"code": "transaction"})
    return rest


def _resource(tx: Tx, kind: Kind) -> Json:
    name, writable = kind.name, kind.writable(tx)
    codes = ["read", "vread", "history-instance", "search-type"]
    codes += ["create", "update", "delete"] if writable else []
    entry: Json = {
        "type": name,
        "interaction": [{"code": code} for code in codes],
        "versioning": "versioned-update" if writable else "versioned",
        "readHistory": True,
        "updateCreate": False,
        "conditionalCreate": writable,
        "conditionalRead": "not-match",
        "conditionalUpdate": False,
        "conditionalDelete": "not-supported",
        "searchInclude": _includes(name),
        "searchParam": [{"name": p.name, "type": str(p.type)} for p in PARAMS[name]],
    }
    if not entry["searchInclude"]:
        del entry["searchInclude"]
    if name in _PROFILES:
        entry["supportedProfile"] = [_PROFILES[name]]
    if name == "Appointment" and tx.rules.has_operations:
        entry["operation"] = [
            {"name": op[1:], "definition": f"{_IHE}/appointment-{op[1:]}"} for op in OPERATIONS
        ]
    return entry


def _includes(kind: str) -> list[str]:
    return [f"{kind}:{p.name}" for p in PARAMS[kind] if p.type is Type.REFERENCE]

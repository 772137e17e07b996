"""Opening a hospital's FHIR server when its desk opens.

Decides what must stop the desk from opening: settings that the server cannot fulfil. A server that
is down just now does not, because the desk takes requests without it.
"""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack

from wonmu.clock import Clock
from wonmu.emr.fhir.adapter import FhirEmr, open_fhir
from wonmu.emr.port import WriteMode
from wonmu.errors import EmrFailure, EmrFault, InputError
from wonmu.hospital.config import CommitMode, Hospital

_LOG = logging.getLogger(__name__)


async def open_checked(hospital: Hospital, clock: Clock) -> FhirEmr:
    """The hospital's FHIR server, asked once what it can do.

    Raises ``InputError``: no settings, settings that cannot work, another version of FHIR, a way
    of writing that the server has not, or direct commits wanted where nothing can be written.
    """
    settings = hospital.emr.fhir
    if settings is None:
        raise InputError(f"{hospital.id}: emr.kind is fhir; add emr.fhir with its url")
    async with AsyncExitStack() as opened:
        emr = open_fhir(settings, clock)
        opened.push_async_callback(emr.close)
        await _check(hospital, emr)
        opened.pop_all()
    return emr


async def _check(hospital: Hospital, emr: FhirEmr) -> None:
    try:
        ability = await emr.ability()
    except EmrFailure as failure:
        if failure.fault is EmrFault.WRONG_VERSION:
            raise InputError(
                f"{hospital.id}: the server at emr.fhir.url speaks another version of FHIR than 4.0"
            ) from failure
        _LOG.warning("%s: the record system does not answer yet (%s)", hospital.id, failure.fault)
        return
    if ability.refused:
        raise InputError(f"{hospital.id}: emr.fhir.write cannot be {ability.reason}; set another")
    if ability.mode is not WriteMode.REQUEST_ONLY:
        return
    if hospital.booking.commit_mode is CommitMode.DIRECT:
        raise InputError(
            f"{hospital.id}: booking.commit_mode is direct, but the record system cannot be "
            f"written to ({ability.reason}); set it to request"
        )
    _LOG.info("%s: the record system is only read (%s)", hospital.id, ability.reason)

"""Where a front desk's stores lie, from the command line to a file or schema (N7)."""

from __future__ import annotations

import pytest

from wonmu import postgres
from wonmu.errors import InputError
from wonmu.ids import HospitalId
from wonmu.place import Database, Folder, place_of
from wonmu.postgres import in_schema, parse

pytestmark = pytest.mark.unit


def test_one_place_for_all_stores() -> None:
    url = "postgresql://wonmu@localhost/desk"
    place = Database(url)
    assert place.inbox == place.timeline == url
    records = place.records(HospitalId("maeum-clinic"))
    assert postgres.schema_of(parse(records)) == "emr_maeum_clinic"
    beside = Database(in_schema(url, "test")).records(HospitalId("a"))
    assert postgres.schema_of(parse(beside)) == "test_emr_a"
    with pytest.raises(InputError, match="postgresql"):
        Database("sqlite+aiosqlite:///x.sqlite")


def test_where_the_command_line_says_the_stores_lie() -> None:
    nothing: dict[str, str] = {}
    variable = {"WONMU_DB": "postgresql://h/d"}
    assert place_of(None, None, nothing) is None
    assert place_of(None, None, variable) == Database("postgresql://h/d")
    assert isinstance(place_of("folder", None, variable), Folder)
    assert place_of(None, "postgresql://h/e", variable) == Database("postgresql://h/e")
    with pytest.raises(InputError, match="one of the two"):
        place_of("folder", "postgresql://h/d", nothing)
    with pytest.raises(InputError) as caught:
        place_of(None, "mysql://u:geheim@h/d", nothing)
    assert "geheim" not in str(caught.value)

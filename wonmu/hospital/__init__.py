"""What a hospital has published and decided: settings, calendar, names, facts."""

from wonmu.hospital.catalog import Catalog
from wonmu.hospital.config import Hospital
from wonmu.hospital.facts import facts_text
from wonmu.hospital.hours import Calendar
from wonmu.hospital.loading import Hospitals, describe, load_hospital, load_hospitals

__all__ = [
    "Calendar",
    "Catalog",
    "Hospital",
    "Hospitals",
    "describe",
    "facts_text",
    "load_hospital",
    "load_hospitals",
]

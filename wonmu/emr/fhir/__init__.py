"""The port on any FHIR R4 server (B2): ``open_fhir`` opens it, ``parse_slots`` is for measuring."""

from wonmu.emr.fhir.adapter import FhirEmr, open_fhir
from wonmu.emr.fhir.parsing import parse_slots

__all__ = ["FhirEmr", "open_fhir", "parse_slots"]

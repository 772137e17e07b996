"""A FHIR R4 reference record system over the embedded one, for tests, demos and adapters' authors.

The embedded tables are the truth; resources are views of them. What it can do it says in its
CapabilityStatement, and it fails on purpose when asked to. ``create_app`` needs the extra
``serve``; see docs/record-systems.md.
"""

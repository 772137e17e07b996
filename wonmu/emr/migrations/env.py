"""Run by Alembic: the record system's migrations on the connection handed in."""

from wonmu.emr.tables import metadata
from wonmu.migrate import run_env

run_env(metadata)

"""Run by Alembic: the timeline store's migrations on the connection handed in."""

from wonmu.migrate import run_env
from wonmu.timeline.tables import metadata

run_env(metadata)

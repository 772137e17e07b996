"""Run by Alembic: the desk store's migrations on the connection handed in."""

from wonmu.desk.tables import metadata
from wonmu.migrate import run_env

run_env(metadata)

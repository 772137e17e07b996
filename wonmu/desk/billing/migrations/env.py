"""Run by Alembic: the ledger's migrations on the connection handed in."""

from wonmu.desk.billing.tables import metadata
from wonmu.migrate import run_env

run_env(metadata)

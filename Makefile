# Everything sets itself up: `make demo` and `make test` need only Python 3.11 or newer and make.
.DEFAULT_GOAL := help
ifndef PYTHON
PYTHON := $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& echo $$p && break; done)
endif
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo chat inbox dialogues test check unit cover bench delays prove clean

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "wonmu: no Python 3.11 or newer found; install one and run make again"; exit 2; }
	@echo "Setting up $(VENV) with $(PYTHON): one to three minutes, once …"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { \
		rm -rf $(VENV) && $(PYTHON) -m venv $(VENV); } || { \
		echo "wonmu: $(PYTHON) cannot make a virtual environment; on Debian install python3-venv"; exit 2; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all]' || { \
		echo "wonmu: the packages could not be installed (see above); is the package index reachable?"; exit 2; }
	@touch $(READY)
	@echo "Ready."

help:                     ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## /\1	/'

demo: $(READY)            ## a scripted booking call, and what staff sees afterwards
	@$(BIN)/wonmu demo booking

chat: $(READY)            ## talk to the front desk yourself
	@echo "// 한 줄이 한마디입니다. #850312 는 키패드, /hangup 은 끊기. (One line is one thing you say.)"
	@$(BIN)/wonmu chat --caller 01000001234 --data data

inbox: $(READY)           ## what your own calls left for staff
	@$(BIN)/wonmu inbox --data data

check: $(READY)           ## lint, format, strict types, import rows
	$(BIN)/ruff check wonmu tests bench
	$(BIN)/ruff format --check wonmu tests bench
	$(BIN)/mypy
	$(BIN)/mypy tests/conformance/conftest.py
	$(BIN)/pytest tests/house

test: check               ## everything that must be green
	@tests/get_postgres.sh
	PYTHONHASHSEED=0 $(BIN)/pytest -n auto --dist worksteal

dialogues: $(READY)       ## play every dialogue file; a failure shows the talk
	@$(BIN)/wonmu eval tests/scenario/dialogues

cover: $(READY)           ## branch coverage of the safety rows and of the breaker, which must be whole
	$(BIN)/pytest tests/booking tests/identity tests/policy tests/transfer/test_transfer_words.py \
		tests/emr/test_emr_breaker.py tests/emr/test_emr_budget.py tests/emr/test_emr_failures.py \
		tests/billing/test_billing_refund_draft.py tests/korean/test_korean_won.py -p no:cacheprovider \
		--cov=wonmu.booking --cov=wonmu.identity --cov=wonmu.policy --cov=wonmu.korean.billing_topics \
		--cov=wonmu.emr.breaker --cov=wonmu.emr.budget --cov=wonmu.emr.failures \
		--cov=wonmu.desk.billing.refund_draft --cov=wonmu.desk.billing.refund_state \
		--cov=wonmu.desk.billing.refund_snapshot --cov=wonmu.korean.won \
		--cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100

bench: $(READY)           ## measured figures, as ratios in one run
	$(BIN)/python -m bench

delays: $(READY)          ## what is heard while a record system is late or silent, in figures
	@$(BIN)/python -m wonmu.evals.delays_report

prove: $(READY)           ## longer proofs, not part of make test
	$(BIN)/pytest -m load -n auto

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info

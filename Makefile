# `make` alone lists the targets. A fresh clone needs Python 3.11 or newer, nothing else.

PYTHONS := python3 python3.11 python3.12 python3.13
BIN := .venv/bin
PYTHON := $(BIN)/python
# Named after the content of their sources: other content, another stamp.
FONTS = pbem/web/make_fonts.py
RUN_STAMP = .venv/installed-$(shell cat requirements.txt $(FONTS) 2>/dev/null | cksum | cut -d' ' -f1)
DEV_STAMP = .venv/installed-dev-$(shell cat requirements.txt requirements-dev.txt $(FONTS) 2>/dev/null | cksum | cut -d' ' -f1)
# Compiled catalogs, made again when a translator has changed a text.
TEXTS := $(patsubst %.po,%.mo,$(wildcard pbem/translations/*/LC_MESSAGES/messages.po))
# Worker processes that run the tests.
TESTERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help install run test check lint types imports bandit audit demo tour soak gate pace fuzz bench pictures rules messages browser servers mail-servers migration

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 18

install: $(RUN_STAMP) $(TEXTS) ## make .venv and install what the service needs

run: $(RUN_STAMP) $(TEXTS) ## run the whole service on this machine; Ctrl-C stops it
	@exec $(PYTHON) app.py run

test: $(DEV_STAMP) browser ## run the whole suite; K="words" chooses tests
	@$(PYTHON) -m pytest -n $(TESTERS) $(if $(K),-k "$(K)")

check: lint types imports bandit ## ruff, mypy (strict for engine/), import contracts, bandit

lint: $(DEV_STAMP) ## ruff alone
	@$(BIN)/ruff check .

types: $(DEV_STAMP) ## mypy alone
	@$(BIN)/mypy app.py engine pbem workers

imports: $(DEV_STAMP) ## the import contracts alone
	@$(BIN)/lint-imports --no-logo

bandit: $(DEV_STAMP) ## bandit alone
	@$(BIN)/bandit -q -c pyproject.toml -r app.py engine pbem workers 2>/dev/null || \
		$(BIN)/bandit -q -c pyproject.toml -r app.py engine pbem workers

audit: $(DEV_STAMP) ## look the pinned libraries up in public lists of known faults
	@$(PYTHON) -m tests.tools.audit

demo: $(DEV_STAMP) $(TEXTS) ## play one whole game by mail and page on a real stack; GAME=goa
	@$(PYTHON) -m tests.processes.story.demo $(GAME)

tour: $(DEV_STAMP) $(TEXTS) ## play one move and list every function of ours that it enters
	@$(PYTHON) -m tests.tools.tour

# Shorter: ARGS="--games 100" YEAR="--games 20" ATTACK="--minutes 1" FAULTS="--minutes 3" ODD="--games 20"
soak: $(DEV_STAMP) $(TEXTS) servers mail-servers ## run for hours: random games, odd sets, faults, an attacker, a year
	@$(PYTHON) -m tests.tools.soak $(ARGS)
	@$(PYTHON) -m tests.tools.soak.odd_sets $(ODD)
	@SOAK_GAMES=50 SOAK=yes $(PYTHON) -m pytest -n $(TESTERS)
	@$(PYTHON) -m tests.tools.soak.letters_burst
	@$(PYTHON) -m tests.tools.soak.postfix
	@$(PYTHON) -m tests.tools.soak.faults $(FAULTS)
	@$(PYTHON) -m tests.tools.soak.faults --database postgresql $(FAULTS)
	@$(PYTHON) -m tests.tools.soak.attacker $(ATTACK)
	@$(PYTHON) -m tests.tools.soak.year $(YEAR)

gate: $(RUN_STAMP) $(TEXTS) ## replay stored games by this release's rules; ARGS="--jobs 2 site.backup"
	@$(PYTHON) app.py gate $(ARGS)

pace: $(DEV_STAMP) $(TEXTS) ## count the letters of 200 games of each kind; ARGS="--games 10"
	@nice $(PYTHON) -m tests.tools.pace $(ARGS)

fuzz: $(DEV_STAMP) $(TEXTS) ## throw letters at the reader and the judge for 10 minutes; ARGS="--minutes 1"
	@$(PYTHON) -m tests.tools.fuzz $(ARGS)

bench: $(DEV_STAMP) $(TEXTS) ## measure the figures, print a table, write var/bench.json; ARGS="--only engine --seconds 10"
	@$(PYTHON) -m tests.tools.bench $(ARGS)

pictures: $(DEV_STAMP) $(TEXTS) browser ## take pictures of pages and letters into var/pictures-of-pages/
	@$(PYTHON) -m tests.tools.pictures $(ARGS)

rules: $(RUN_STAMP) $(TEXTS) ## write each game's RULES.md from templates/games/*/rules/en.toml
	@$(PYTHON) -m pbem.i18n.rulebook

messages: $(DEV_STAMP) ## gather the texts of pages and letters for translators
	@mkdir -p var
	@$(BIN)/pybabel -q extract -F babel.cfg -k say -k msgid --no-location --sort-output --omit-header -o var/messages.pot .
	@$(BIN)/pybabel -q update -i var/messages.pot -d pbem/translations --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date --width 100

# Order-only: another set of libraries leaves the texts as they are.
%.mo: %.po | $(RUN_STAMP)
	@$(BIN)/pybabel -q compile -i $< -o $@

migration: $(DEV_STAMP) ## write a new schema version; M="what it changes"
	@$(PYTHON) -m pbem.migrations.generate $(M)

browser:
	@command -v chromium chromium-browser google-chrome >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the browser tests ..."; \
		{ apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; } \
			>/dev/null 2>&1 || echo "Chromium could not be installed: the browser tests are skipped."; \
	else \
		echo "No chromium on PATH: the browser tests are skipped."; \
	fi

servers: ## install the oldest servers that we support, for tests (Debian, root)
	@[ -x /usr/lib/postgresql/15/bin/initdb ] && command -v redis-server >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing PostgreSQL 15 and redis-server for the tests of versions ..."; \
		{ apt-get update -qq && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
			apt-get install -qq -y --no-install-recommends postgresql-15 redis-server; } \
			>/dev/null 2>&1 || echo "They could not be installed: tests of these versions are skipped."; \
	else \
		echo "No PostgreSQL 15 or redis-server here: tests of these versions are skipped."; \
	fi

mail-servers: ## install Postfix, OpenDKIM and OpenDMARC for their soak (Debian, root)
	@command -v postfix >/dev/null && command -v opendkim >/dev/null && command -v opendmarc >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		{ apt-get update -qq && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
			apt-get install -qq -y --no-install-recommends postfix opendkim opendmarc; } \
			>/dev/null 2>&1 || echo "Postfix could not be installed: its soak is skipped."; \
	fi

.venv/bin/python:
	@found=; for python in $(PYTHONS); do \
		if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
		then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "Carreira needs Python 3.11 or newer with venv; none of $(PYTHONS) on PATH is." >&2; exit 1; \
	fi; \
	echo "Making .venv with $$($$found --version) ..."; $$found -m venv --clear .venv

.venv/installed-dev-%: | .venv/bin/python
	@echo "Installing what the tests need (once) ..."
	@$(PYTHON) -m pip install -q --disable-pip-version-check -r requirements-dev.txt
	@$(PYTHON) -m pbem.web.make_fonts
	@rm -f .venv/installed-*; touch $@ $(RUN_STAMP)

.venv/installed-%: | .venv/bin/python
	@echo "Installing what the service needs (once) ..."
	@$(PYTHON) -m pip install -q --disable-pip-version-check -r requirements.txt
	@$(PYTHON) -m pbem.web.make_fonts
	@rm -f .venv/installed-*; touch $@

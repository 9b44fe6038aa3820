# 柳州麻将. `make play` to play, `make test` to test; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv/bin
export PYTHONUNBUFFERED := 1

.PHONY: help play test check bench chaos messages env env-dev format clean
.DEFAULT_GOAL := help

help:
	@echo "make play      开始玩 / play: everything is installed and started; PORT=8000 HOST=127.0.0.1"
	@echo "make test      全部测试 / the whole suite, on servers of its own; ARGS='-k name'"
	@echo "make check     静态检查 / lint, types, import contracts, migrations, deployment settings"
	@echo "make bench     性能 / the benchmarks"
	@echo "make chaos     故障演练 / faults at live tables; SEED=1"
	@echo "make messages  翻译 / collect and compile the texts (needs gettext)"
	@echo "make format    排版 / format the Python code"
	@echo "make clean     删除 .venv 和 var（包括数据）/ remove .venv and var, the data too"

env:
	@$(PYTHON) tools/setup_env.py requirements.txt

env-dev:
	@$(PYTHON) tools/setup_env.py requirements-dev.txt

play: env
	@exec $(VENV)/python manage.py play

test: env-dev
	@$(VENV)/python tools/browser.py
	@exec $(VENV)/python -m pytest $(ARGS)

check: env-dev
	@$(VENV)/python tools/check.py

bench: env-dev
	@$(VENV)/python tools/run_bench.py

SEED ?= 1
chaos: env-dev
	@exec $(VENV)/python -m bench.chaos --seed $(SEED) $(ARGS)

messages: env-dev
	@$(VENV)/python tools/messages.py

format: env-dev
	@$(VENV)/ruff check --fix-only --quiet .
	@$(VENV)/ruff format --quiet .

clean:
	@-test -x $(VENV)/python && $(VENV)/python manage.py services down
	rm -rf .venv var

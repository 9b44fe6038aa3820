"""Faults at live tables: `make chaos SEED=n`. A site of its own is played on while its parts are killed, stopped and lied to."""

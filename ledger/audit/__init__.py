"""Recomputing the whole ledger: run_audit and the differences it finds.

Other apps add checks of their own with register_check (rooms: that each settlement is what the hand's replay gives)."""

from ledger.audit.report import Check, Difference, Report, Scope, register_check, registered_checks
from ledger.audit.run import run_audit, settlements

__all__ = [
    "Check",
    "Difference",
    "Report",
    "Scope",
    "register_check",
    "registered_checks",
    "run_audit",
    "settlements",
]

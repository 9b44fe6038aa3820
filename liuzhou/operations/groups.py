"""The group `admins`: what an admin needs who is no superuser. It is filled after each migration, when its permissions are
there; what it must not have is what would let admins make themselves more: groups, permissions, limits of approval."""

from typing import Any, Final

from django.apps.registry import Apps

ADMINS: Final = "admins"
RIGHTS: Final = (
    "accounts.view_user", "accounts.change_user",
    "agents.view_application", "agents.decide_application", "agents.view_agent", "agents.suspend_agent", "agents.view_bond",
    "agents.view_order", "agents.issue_order", "agents.view_handover",
    "fairness.view_flag", "fairness.decide_flag",
    "ledger.audit", "ledger.view_account", "ledger.view_entry", "ledger.view_proposal", "ledger.issue", "ledger.freeze",
    "ledger.reverse", "ledger.decide",
    "operations.view_dashboard", "operations.freeze_user", "operations.sign_out_user", "operations.reset_mfa",
    "operations.view_statement", "operations.export_rows", "operations.watch_room", "operations.add_note",
    "operations.view_note", "operations.add_notice", "operations.change_notice", "operations.delete_notice",
    "operations.view_notice",
    "rooms.view_room", "rooms.view_hand", "rooms.void_hand", "rooms.view_escape", "rooms.view_price", "rooms.change_price",
    "trail.view_trail",
    "values.view_change", "values.change_values", "values.view_maintenance", "values.steer_maintenance",
    "axes.view_accessattempt",
)  # fmt: skip


def make(using: str, apps: Apps, **signal: Any) -> None:
    try:
        groups, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    except LookupError:
        return
    group, _made = groups._default_manager.using(using).get_or_create(name=ADMINS)
    wanted = set(RIGHTS)
    found = permissions._default_manager.using(using).select_related("content_type")
    there = [one for one in found if f"{one.content_type.app_label}.{one.codename}" in wanted]
    group.permissions.add(*there)

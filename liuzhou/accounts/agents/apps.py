"""Agents 代理: players who sell room cards to players of their own."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy


class AgentsConfig(AppConfig):
    name = "liuzhou.accounts.agents"
    label = "agents"
    verbose_name = pgettext_lazy("plural", "代理")

    def ready(self) -> None:
        from ledger import desk
        from liuzhou.accounts import hooks
        from liuzhou.accounts.agents import leaving, orders

        desk.on_decided(orders.decided)
        hooks.on_erasing(leaving.erase)
        hooks.on_export("agency", leaving.exported)

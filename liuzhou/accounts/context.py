"""What every page's header shows of the player."""

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from ledger import selectors, terms
from liuzhou.accounts import preferences as stored_preferences


def wallet(request: HttpRequest) -> dict[str, object]:
    """`wallet.coins` and `wallet.cards`, asked for only by pages that show them; nothing for guests."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"wallet": SimpleLazyObject(lambda: _balances(user.pk))}


def _balances(user_id: int) -> dict[str, int]:
    held = selectors.wallet_balances(owner_ref=user_id)
    return {"coins": held[terms.COIN], "cards": held[terms.CARD]}


def preferences(request: HttpRequest) -> dict[str, object]:
    """`preferences`: the attributes `data-pref-…` of the table's page; a guest's are the defaults."""
    user = getattr(request, "user", None)
    return {"preferences": SimpleLazyObject(lambda: stored_preferences.attributes(getattr(user, "preferences", None)))}

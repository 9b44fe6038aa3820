"""What auditors search lines by."""

from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet, Sum
from django.utils.translation import gettext_lazy as _

from ledger.models import AuditLine
from ledger.names import find_owners
from ledger.terms import ACCOUNT_KINDS, CURRENCY_NAMES, ENTRY_KINDS

BATCH = 1_000
_ANY = [("", _("全部"))]


class _Moment(forms.DateTimeInput):
    input_type = "datetime-local"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%dT%H:%M")


def _moment(label: Any) -> forms.DateTimeField:
    formats = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"]
    return forms.DateTimeField(label=label, required=False, widget=_Moment(), input_formats=formats)


def _number(label: Any, least: int = 0) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=least, max_value=2**63 - 1)


class LineFilter(forms.Form):
    """Every field may be left empty; all that are filled must hold."""

    player = forms.CharField(
        label=_("玩家"), required=False, max_length=64, help_text=_("昵称、用户名、玩家号或 #编号")
    )
    agent = forms.CharField(label=_("代理"), required=False, max_length=64)
    currency = forms.ChoiceField(label=_("币种"), required=False, choices=[*_ANY, *CURRENCY_NAMES.items()])
    kind = forms.CharField(
        label=_("类别"), required=False, max_length=32, widget=forms.Select(choices=[*_ANY, *ENTRY_KINDS.items()])
    )
    since = _moment(_("从"))
    until = _moment(_("到"))
    hand = _number(_("牌局"))
    room = _number(_("房间"))
    entry = _number(_("分录号"))
    account = _number(_("账户号"))
    account_kind = forms.ChoiceField(label=_("账户类别"), required=False, choices=[*_ANY, *ACCOUNT_KINDS.items()])
    direction = forms.ChoiceField(
        label=_("方向"), required=False, choices=[*_ANY, ("in", _("收入")), ("out", _("支出"))]
    )
    least = _number(_("金额不小于"))
    most = _number(_("金额不大于"))

    MORE = ("hand", "room", "entry", "account", "account_kind", "direction", "least", "most", "agent")

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.MORE]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.MORE]

    @property
    def more_used(self) -> bool:
        return any(self.data.get(name) for name in self.MORE)

    @property
    def used(self) -> dict[str, Any]:
        """The fields that were filled, for the record of an export."""
        return {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}

    def lines(self) -> QuerySet[AuditLine]:
        """The lines that match, newest first; none while a field is wrong."""
        if not self.is_valid():
            return AuditLine.objects.none()
        return AuditLine.objects.filter(self._owner() & self._entry() & self._amount()).order_by("-entry_id", "-n")

    def _owner(self) -> Q:
        found = Q()
        if player := self.cleaned_data["player"]:
            found &= Q(owner_ref__in=find_owners(player))
        if agent := self.cleaned_data["agent"]:
            found &= Q(owner_ref__in=find_owners(agent), account_kind="agent")
        return found & self._equal(
            ("account_kind", "account_kind"), ("account", "account_id"), ("currency", "currency")
        )

    def _entry(self) -> Q:
        found = self._equal(("kind", "kind"), ("hand", "hand"), ("room", "room"), ("entry", "entry_id"))
        if since := self.cleaned_data["since"]:
            found &= Q(at__gte=since)
        if until := self.cleaned_data["until"]:
            found &= Q(at__lte=until)
        return found

    def _amount(self) -> Q:
        """Amounts are compared without their sign."""
        least, most, direction = (self.cleaned_data[name] for name in ("least", "most", "direction"))
        found = Q()
        if direction:
            found &= Q(amount__gt=0) if direction == "in" else Q(amount__lt=0)
        if least is not None:
            found &= Q(amount__gte=least) | Q(amount__lte=-least)
        if most is not None:
            found &= Q(amount__lte=most, amount__gte=-most)
        return found

    def _equal(self, *pairs: tuple[str, str]) -> Q:
        found = Q()
        for name, column in pairs:
            if (value := self.cleaned_data[name]) not in (None, ""):
                found &= Q(**{column: value})
        return found


def totals(lines: QuerySet[AuditLine]) -> list[dict[str, Any]]:
    """Per currency: how many lines, what came in, what went out, and the difference."""
    rows = (
        lines.order_by()
        .values("currency")
        .annotate(
            lines=Count("n"),
            income=Sum("amount", filter=Q(amount__gt=0), default=0),
            outgo=Sum("amount", filter=Q(amount__lt=0), default=0),
            net=Sum("amount"),
        )
    )
    return [dict(row) for row in rows.order_by("currency")]


def in_batches(lines: QuerySet[AuditLine]) -> Iterator[AuditLine]:
    """All of them, a batch per query: the lines above the place reached are never touched by what is posted meanwhile."""
    last: AuditLine | None = None
    while True:
        rest = lines if last is None else lines.filter(after(last.entry_id, last.n))
        batch: Iterable[AuditLine] = list(rest[:BATCH])
        last = None
        for last in batch:
            yield last
        if last is None:
            return


def after(entry: int, n: int) -> Q:
    """What comes after this line in a list that is newest first."""
    return Q(entry_id__lt=entry) | Q(entry_id=entry, n__lt=n)

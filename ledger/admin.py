"""The ledger in Django admin: read-only tables, and the desk where coins and cards are issued, burned and reversed."""

import secrets
from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import get_language, gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from ledger import desk, services
from ledger.errors import LedgerError
from ledger.models import Account, Entry, Line, Proposal
from ledger.names import find_owners, names_of
from ledger.templatetags.ledger import signed
from ledger.terms import ACCOUNT_KINDS, CURRENCY_NAMES, POINT, SYSTEM_NAMES, kind_name
from liuzhou import read_only


class ReasonForm(forms.Form):
    """What every action at the desk needs: a reason, and a token that makes two clicks one action."""

    reason = forms.CharField(label=_("原因"), max_length=500, widget=forms.TextInput({"size": 60}))
    token = forms.CharField(max_length=40, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"token": secrets.token_hex(12)})
        super().__init__(*args, **kwargs)

    @property
    def key(self) -> str:
        return f"desk:{self.cleaned_data['token']}"


class AmountForm(ReasonForm):
    """An amount as well."""

    amount = forms.IntegerField(label=_("数量"), min_value=1, max_value=services.LARGEST)
    field_order = ("amount", "reason")


class ReadOnly(read_only.ReadOnly):
    """Nothing is added, changed or deleted here; the desk's actions are pages of their own."""

    actions = None
    list_per_page = 50
    show_full_result_count = False
    desk: ClassVar[dict[str, tuple[str, type[ReasonForm], Any]]] = {}  # action: permission, form, title

    def get_urls(self) -> list[URLPattern]:
        name = f"ledger_{self.opts.model_name}_desk"
        return [
            path("<int:number>/desk/<slug:action>/", self.admin_site.admin_view(self.at_desk), name=name),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        tools = [
            {"title": title, "url": self._desk_url(object_id, action)}
            for action, (permission, _form, title) in self.desk.items()
            if request.user.has_perm(permission) and self.offers(action, object_id)
        ]
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "desk": tools})

    def offers(self, action: str, object_id: str) -> bool:
        """Whether this action makes sense for this object."""
        return True

    def _desk_url(self, number: str | int, action: str) -> str:
        return reverse(f"admin:ledger_{self.opts.model_name}_desk", args=[number, action])

    def at_desk(self, request: HttpRequest, number: int, action: str) -> HttpResponse:
        """The form of one action; posted, one call of a service."""
        if action not in self.desk or not request.user.has_perm(self.desk[action][0]):
            raise PermissionDenied
        _permission, form_class, title = self.desk[action]
        subject = get_object_or_404(self.model, pk=number)
        form = form_class(request.POST or None)
        if request.method == "POST" and form.is_valid() and self._carried_out(request, action, subject, form):
            return HttpResponseRedirect(reverse(f"admin:ledger_{self.opts.model_name}_change", args=[number]))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": title,
            "subject": subject,
            "form": form,
        }
        return render(request, "ledger/admin/desk.html", context)

    def _carried_out(self, request: HttpRequest, action: str, subject: Any, form: ReasonForm) -> bool:
        try:
            messages.success(request, self.carry_out(request.user.pk or 0, action, subject, form))
        except LedgerError as error:
            form.add_error(None, error.text(get_language() or "zh"))
            return False
        return True

    def carry_out(self, actor: int, action: str, subject: Any, form: ReasonForm) -> str:
        """Call the service; what to tell the admin."""
        raise NotImplementedError


def told(done: desk.Done) -> str:
    if done.entry is not None:
        return gettext("已记账，分录 %(entry)s。") % {"entry": done.entry}
    return gettext("数额超过单人权限，已提交申请 %(proposal)s，待另一位管理员批准。") % {"proposal": done.proposal}


@admin.register(Account)
class AccountAdmin(ReadOnly):
    list_display = ("id", "what", "owner", "money", "balance", "seq", "frozen", "created_at")
    list_filter = ("kind", "currency", "frozen")
    search_fields = ("=id",)
    search_help_text = _("账户号、玩家号、用户名、昵称或 #编号")
    ordering = ("-id",)
    fields = ("id", "what", "owner", "name", "money", "balance", "seq", "frozen", "created_at", "last_lines")
    readonly_fields = fields
    change_form_template = "ledger/admin/read.html"
    desk: ClassVar[dict[str, tuple[str, type[ReasonForm], Any]]] = {
        "issue": ("ledger.issue", AmountForm, pgettext_lazy("a deed", "发行")),
        "burn": ("ledger.issue", AmountForm, pgettext_lazy("a deed", "销毁")),
        "freeze": ("ledger.freeze", ReasonForm, _("冻结")),
        "unfreeze": ("ledger.freeze", ReasonForm, _("解冻")),
    }

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Account], search_term: str
    ) -> tuple[QuerySet[Account], bool]:
        if not search_term.strip():
            return queryset, False
        found = Q(owner_ref__in=find_owners(search_term))
        if search_term.strip().isdecimal() and len(search_term.strip()) <= 18:
            found |= Q(pk=int(search_term))
        return queryset.filter(found), False

    def offers(self, action: str, object_id: str) -> bool:
        account = Account.objects.filter(pk=object_id, kind__in=("user", "agent")).first()
        if account is None:
            return False
        if account.currency == POINT and action == "freeze":
            return False  # a hand's settlement takes 积分 from who lost it, frozen or not
        return action != ("freeze" if account.frozen else "unfreeze")

    def carry_out(self, actor: int, action: str, subject: Account, form: ReasonForm) -> str:
        if subject.kind not in ("user", "agent") or (action == "freeze" and subject.currency == POINT):
            raise PermissionDenied  # what lies at a table or is set aside is the table's
        reason, amount = form.cleaned_data["reason"], form.cleaned_data.get("amount", 0)
        if action in ("freeze", "unfreeze"):
            services.freeze(account=subject.pk, frozen=action == "freeze", actor=actor, reason=reason)
            return gettext("已办理。")
        move: Callable[..., desk.Done] = desk.issue if action == "issue" else desk.burn
        return told(move(key=form.key, account=subject.pk, amount=amount, actor=actor, reason=reason))

    @admin.display(description=_("类别"), ordering="kind")
    def what(self, account: Account) -> str:
        return str(ACCOUNT_KINDS.get(account.kind, account.kind))

    @admin.display(description=_("归属"), ordering="owner_ref")
    def owner(self, account: Account) -> str:
        if account.kind == "system":
            return str(SYSTEM_NAMES.get(account.name, account.name))
        return names_of([account.owner_ref])[account.owner_ref]

    @admin.display(description=_("币种"), ordering="currency")
    def money(self, account: Account) -> str:
        return str(CURRENCY_NAMES[account.currency])

    @admin.display(description=_("最近往来"))
    def last_lines(self, account: Account) -> SafeString:
        lines = Line.objects.filter(account=account).select_related("entry").order_by("-seq")[:20]
        return _table(
            (
                line.entry,
                localtime(line.entry.at).strftime("%Y-%m-%d %H:%M:%S"),
                "",
                line.amount,
                line.balance,
                line.entry.reason,
            )
            for line in lines
        )


@admin.register(Entry)
class EntryAdmin(ReadOnly):
    list_display = ("id", "at", "what", "key", "hand", "room", "by", "reason")
    list_filter = ("kind",)
    search_fields = ("=id", "=key", "=hand")
    search_help_text = _("分录号、业务编号或牌局号")
    ordering = ("-id",)
    fields = ("id", "at", "what", "key", "hand", "room", "hold", "reversed", "by", "reason", "lines_table")
    readonly_fields = fields
    change_form_template = "ledger/admin/read.html"
    desk: ClassVar[dict[str, tuple[str, type[ReasonForm], Any]]] = {
        "reverse": ("ledger.reverse", ReasonForm, _("冲正"))
    }

    def offers(self, action: str, object_id: str) -> bool:
        fixed = Entry.objects.filter(pk=object_id, kind__in=("hold", "capture", "release", "reversal"))
        return not fixed.exists() and not Entry.objects.filter(reversed__pk=object_id).exists()

    def carry_out(self, actor: int, action: str, subject: Entry, form: ReasonForm) -> str:
        return told(desk.reverse(key=form.key, entry=subject.pk, actor=actor, reason=form.cleaned_data["reason"]))

    @admin.display(description=_("类别"), ordering="kind")
    def what(self, entry: Entry) -> str:
        return kind_name(entry.kind)

    @admin.display(description=_("经手人"), ordering="actor")
    def by(self, entry: Entry) -> str:
        return names_of([entry.actor]).get(entry.actor or 0, "—")

    @admin.display(description=_("明细"))
    def lines_table(self, entry: Entry) -> SafeString:
        lines = list(Line.objects.filter(entry=entry).select_related("account").order_by("n"))
        names = names_of(line.account.owner_ref for line in lines)
        return _table(
            (
                line.account,
                names.get(line.account.owner_ref, SYSTEM_NAMES.get(line.account.name, "")),
                CURRENCY_NAMES[line.account.currency],
                line.amount,
                line.balance,
                "",
            )
            for line in lines
        )


@admin.register(Proposal)
class ProposalAdmin(ReadOnly):
    list_display = ("id", "what", "account", "entry", "amount", "reason", "asked_by", "at", "state")
    list_filter = ("kind", "approved")
    ordering = ("-id",)
    fields = (
        "id", "what", "account", "entry", "amount", "reason", "asked_by", "at", "state", "decided_by", "decision_reason",
        "decided_at",
    )  # fmt: skip
    readonly_fields = fields
    change_form_template = "ledger/admin/read.html"
    desk: ClassVar[dict[str, tuple[str, type[ReasonForm], Any]]] = {
        "approve": ("ledger.decide", ReasonForm, _("批准")),
        "reject": ("ledger.decide", ReasonForm, _("驳回")),
    }

    def offers(self, action: str, object_id: str) -> bool:
        return Proposal.objects.filter(pk=object_id, decider=None).exists()

    def carry_out(self, actor: int, action: str, subject: Proposal, form: ReasonForm) -> str:
        reason = form.cleaned_data["reason"]
        done = desk.decide(proposal=subject.pk, approved=action == "approve", actor=actor, reason=reason)
        return told(done) if done.entry else gettext("已驳回。")

    @admin.display(description=_("类别"), ordering="kind")
    def what(self, proposal: Proposal) -> str:
        return kind_name(proposal.kind)

    @admin.display(description=_("申请人"))
    def asked_by(self, proposal: Proposal) -> str:
        return names_of([proposal.proposer])[proposal.proposer]

    @admin.display(description=_("审批人"))
    def decided_by(self, proposal: Proposal) -> str:
        return names_of([proposal.decider]).get(proposal.decider or 0, "—")

    @admin.display(description=_("状态"))
    def state(self, proposal: Proposal) -> str:
        if proposal.decider is None:
            return gettext("待批")
        return gettext("已批准") if proposal.approved else gettext("已驳回")


def _table(rows: Any) -> SafeString:
    """Lines as a small table; the first cell is an object with a page of its own."""
    body = format_html_join(
        "",
        "<tr><td><a href='{}'>{}</a></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        (
            (
                reverse(f"admin:ledger_{target._meta.model_name}_change", args=[target.pk]),
                target,
                first,
                second,
                signed(amount),
                f"{balance:,}",
                last,
            )
            for target, first, second, amount, balance, last in rows
        ),
    )
    return format_html("<table>{}</table>", body)

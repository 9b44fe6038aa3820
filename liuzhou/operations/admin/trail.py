"""The trail in the admin: a search of its own, and files. It is registered by `liuzhou.trail`; exporting is added here."""

from typing import Any, ClassVar

import django_filters
from django import forms
from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from import_export import fields

from liuzhou.operations.exporting import Exporting, Guarded
from liuzhou.trail.admin import TrailAdmin
from liuzhou.trail.models import Trail

PAGE = 100


class TrailResource(Guarded):
    actor = fields.Field(attribute="actor__username", column_name="actor")

    class Meta:
        model = Trail
        fields = ("id", "at", "actor", "action", "subject", "detail", "address")
        export_order = fields


class TrailFilter(django_filters.FilterSet):
    """Who did what to whom, from where, when."""

    who = django_filters.CharFilter(label=_("经手人（用户名或玩家号）"), method="by_actor")
    action = django_filters.CharFilter(label=_("操作"), lookup_expr="startswith")
    subject = django_filters.CharFilter(label=_("对象，如 accounts.user:5"), lookup_expr="startswith")
    address = django_filters.CharFilter(label=_("地址"))
    first = django_filters.DateFilter(
        label=_("从"), field_name="at", lookup_expr="date__gte", widget=forms.DateInput({"type": "date"})
    )
    last = django_filters.DateFilter(
        label=_("到"), field_name="at", lookup_expr="date__lte", widget=forms.DateInput({"type": "date"})
    )

    class Meta:
        model = Trail
        fields = ("who", "action", "subject", "address", "first", "last")

    def by_actor(self, rows: QuerySet[Trail], name: str, text: str) -> QuerySet[Trail]:
        return rows.filter(Q(actor__username__iexact=text) | Q(actor__number=text))


admin.site.unregister(Trail)


@admin.register(Trail)
class SearchedTrailAdmin(Exporting, TrailAdmin):
    resource_classes = [TrailResource]
    import_export_change_list_template = "admin/trail/trail/change_list.html"
    # It grows for ever: what has no index is asked for on the search's page, where somebody wants it.
    list_filter: ClassVar[Any] = ()
    date_hierarchy: ClassVar[Any] = None
    show_full_result_count = False
    list_per_page = 50

    def get_urls(self) -> list[URLPattern]:
        search = path("search/", self.admin_site.admin_view(self.search), name="trail_trail_search")
        return [search, *super().get_urls()]

    def search(self, request: HttpRequest) -> HttpResponse:
        """The trail by who, what, whom, where and when."""
        if not self.has_view_permission(request):
            return HttpResponse(status=403)
        rows = Trail.objects.select_related("actor").order_by("-id")
        found = TrailFilter(request.GET, queryset=rows)
        page = Paginator(found.qs if found.form.is_valid() else rows.none(), PAGE).get_page(request.GET.get("page"))
        query = request.GET.copy()
        query.pop("page", None)
        context: dict[str, Any] = {
            **self.admin_site.each_context(request), "opts": self.opts, "title": _("搜索操作记录"), "form": found.form,
            "page": page, "query": query.urlencode(),
        }  # fmt: skip
        return render(request, "admin/operations/trail_search.html", context)

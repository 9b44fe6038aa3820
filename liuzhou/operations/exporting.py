"""Lists given away as files by django-import-export: export only, safe to open in a spreadsheet, each one in the trail."""

from typing import Any

from django.http import HttpRequest
from import_export import resources
from import_export.admin import ExportMixin
from import_export.formats import base_formats
from import_export.forms import ExportForm

from ledger.exports import guarded, xlsx_file
from liuzhou.trail import services as trail

PERMISSION = "operations.export_rows"


class Xlsx(base_formats.Format):
    """The ledger's writer of workbooks: no other package is needed."""

    def get_title(self) -> str:
        return "xlsx"

    def get_extension(self) -> str:
        return "xlsx"

    def get_content_type(self) -> str:
        return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    def can_export(self) -> bool:
        return True

    def export_data(self, dataset: Any, **kwargs: Any) -> bytes:
        return b"".join(xlsx_file(dataset.headers, iter(dataset)))


class Csv(base_formats.CSV):
    """With the mark by which spreadsheets know UTF-8."""

    def export_data(self, dataset: Any, **kwargs: Any) -> str:
        return "\ufeff" + str(super().export_data(dataset, **kwargs))


class Guarded(resources.ModelResource):
    """A text that a spreadsheet would take for a formula gets an apostrophe in front."""

    def export_field(self, field: Any, instance: Any, **kwargs: Any) -> Any:
        value = super().export_field(field, instance, **kwargs)
        return guarded(value if value is None or isinstance(value, int) else str(value))


class Exporting(ExportMixin):
    """For a ModelAdmin with a Guarded `resource_classes`: a button over the list, for who may export."""

    formats = [Csv, Xlsx]
    export_form_class = ExportForm
    skip_export_form = False

    def get_export_formats(self) -> list[Any]:
        return list(self.formats)

    def has_export_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(PERMISSION) and self.has_view_permission(request)

    def get_export_data(self, file_format: Any, request: HttpRequest, queryset: Any, **kwargs: Any) -> Any:
        data = super().get_export_data(file_format, request, queryset, **kwargs)
        trail.record(
            request,
            "export",
            self.opts.label_lower,
            format=file_format.get_title(),
            query=request.GET.urlencode()[:200],
            rows=queryset.count(),
        )
        return data

"""The ledger's addresses."""

from django.urls import path

from ledger.views import overview, search, statement

urlpatterns = [
    path("ledger/", statement.statement, name="statement"),
    path("audit/", search.search, name="audit"),
    path("audit/lines.<str:format>", search.export, name="audit_export"),
    path("audit/entry/<int:number>/", search.entry, name="audit_entry"),
    path("audit/account/<int:number>/", search.account, name="audit_account"),
    path("audit/daily/", overview.daily, name="audit_daily"),
    path("audit/daily.<str:format>", overview.daily_export, name="audit_daily_export"),
    path("audit/supply/", overview.supply, name="audit_supply"),
    path("audit/largest/", overview.largest, name="audit_largest"),
    path("audit/violations/", overview.violations, name="audit_violations"),
    path("audit/seals/", overview.seal_list, name="audit_seals"),
    path("audit/seals.jsonl", overview.seal_export, name="audit_seal_export"),
    path("audit/exports/", overview.export_list, name="audit_exports"),
]

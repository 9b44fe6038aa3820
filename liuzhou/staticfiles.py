"""Static files with a hash in their names, compressed, so that browsers may keep them for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStorage(CompressedManifestStaticFilesStorage):
    """Rewrites `import … from "./x.js";` in native modules too (off by default in Django)."""

    support_js_module_import_aggregation = True

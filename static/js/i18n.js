/** Translations: Django's JavaScriptCatalog when the page loaded it, the Chinese source text otherwise. */

export const gettext = (text) => (globalThis.django?.gettext ?? globalThis.gettext ?? ((same) => same))(text);

/** fill("第%(no)s局", {no: 2}): named places, as in Django's interpolate(…, true). */
export const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => String(values[name]));

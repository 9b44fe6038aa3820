// A page that shows what is now is loaded again every `data-renew` seconds, while somebody looks at it and is not using it.
const seconds = Number(document.querySelector("[data-renew]")?.dataset.renew ?? 0);

function used() {
  return document.hidden || document.activeElement?.matches("input, textarea, select") || !getSelection().isCollapsed;
}

if (seconds > 0) {
  setInterval(() => {
    if (!used()) location.reload();
  }, seconds * 1000);
}

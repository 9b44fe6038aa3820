// Notices and maintenance on pages that stay open: asked for every half minute while the page is looked at. A notice that
// was dismissed stays away in this browser; a changed one is a new one.
const PERIOD = 30_000;
const KEPT = "dismissed-notices";
const shelf = document.getElementById("banners");

function dismissed() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? [];
  } catch {
    return [];
  }
}

function dismiss(key) {
  try {
    localStorage.setItem(KEPT, JSON.stringify([...dismissed(), key].slice(-50)));
  } catch {
    // private browsing: dismissed for as long as the page is open
  }
  gone.add(key);
}

const gone = new Set(dismissed());

function made({ key, level, text }) {
  const banner = document.createElement("p");
  banner.className = `banner banner--${level}`;
  banner.role = "status";
  banner.dataset.key = key;
  const words = document.createElement("span");
  words.textContent = text;
  banner.append(words);
  const close = document.createElement("button");
  close.type = "button";
  close.className = "banner__close";
  close.ariaLabel = "×";
  close.textContent = "×";
  banner.append(close);
  return banner;
}

// Maintenance is put away at a table, where it covers the felt, and nowhere else.
const away = (key) => gone.has(key) && (document.body.classList.contains("in-room") || !key.startsWith("maintenance"));

function tidy() {
  for (const banner of [...shelf.children]) if (away(banner.dataset.key)) banner.remove();
  shelf.hidden = shelf.children.length === 0;
}

// Only what changed is touched: a screen reader must not hear the same again every half minute.
function show(banners) {
  const wanted = banners.filter((one) => !away(one.key));
  const texts = new Map(wanted.map((one) => [one.key, one.text]));
  for (const banner of [...shelf.children]) {
    if (texts.get(banner.dataset.key) !== banner.querySelector("span").textContent) banner.remove();
  }
  const there = new Set([...shelf.children].map((banner) => banner.dataset.key));
  const news = wanted.filter((one) => !there.has(one.key));
  shelf.append(...news.map(made));
  if (news.length > 0) unfold();
  tidy();
}

async function ask() {
  if (document.hidden) return;
  try {
    const answer = await fetch(shelf.dataset.url, { headers: { accept: "application/json" } });
    if (answer.ok) show((await answer.json()).banners);
  } catch {
    // offline: the next time
  }
}

// At a table what was read goes, and maintenance folds into a tag that hides nobody's seat; a tap opens it again, news open
// it by themselves.
const FOLDED_AFTER = 10_000;
let folding;

function unfold() {
  clearTimeout(folding);
  shelf.classList.remove("banners--folded");
  if (document.body.classList.contains("in-room")) {
    folding = setTimeout(() => shelf.classList.add("banners--folded"), FOLDED_AFTER);
  }
}

if (shelf) {
  tidy();
  unfold();
  shelf.addEventListener("click", (event) => {
    const folded = shelf.classList.contains("banners--folded");
    unfold();
    const close = event.target.closest(".banner__close");
    if (!close || folded) return;
    dismiss(close.parentElement.dataset.key);
    tidy();
  });
  setInterval(ask, PERIOD + Math.random() * 5_000);
  document.addEventListener("visibilitychange", ask);
}

/** Taps, swipes and keys on the table, turned into calls on the app. One listener each on the root. */

import { gettext } from "./i18n.js";
import { handTiles } from "./own.js";
import { resultText } from "./settlement.js";
import { wake } from "./sound.js";

const SWIPE = 26; // px upwards that throw a tile

const ACTS = {
  tile: (app, target) => app.tile(target.dataset.key, target.dataset.tile),
  call: (app, target) => app.call(target.dataset.call),
  choose: (app, target) => app.choose(target.dataset.way),
  unchoose: (app) => app.set({ chooser: null }),
  fish: (app, target) => app.fish(Number(target.dataset.slot)),
  fish_done: (app) => app.fish(0),
  ready: (app) => app.ready(),
  auto: (app) => app.auto(),
  autopass: (app) => app.autoPass(),
  mute: (app) => app.toggle("muted"),
  speech: (app) => app.toggle("speech"),
  panel: (app, target) => app.panel(target.dataset.panel),
  shut: (app) => app.set({ panel: null }),
  tab: (app, target) => app.set({ sideTab: target.dataset.tab }),
  phrase: (app, target) => app.say({ phrase: target.dataset.key }),
  sticker: (app, target) => app.say({ emoji: target.dataset.key }),
  quiet: (app, target) => app.quiet(target.dataset.name),
  look: (app) => app.set({ settlementHidden: true }),
  unlook: (app) => app.set({ settlementHidden: false }),
  final: (app) => app.set({ showFinal: true }),
  leave: (app) => app.leave(),
  relief: (app) => app.leave({ to: app.boot.lobby }),
  escape: (app) => app.leave({ confirm: true }),
  stay: (app) => app.set({ escape: null }),
  noticed: (app) => app.set({ notice: null }),
  change: (app) => app.change(),
  dissolve: (app) => app.command("dissolve"),
  vote: (app, target) => app.command("vote", { agree: Boolean(target.dataset.agree) }),
  kick: (app, target) => app.command("kick", { seat: Number(target.dataset.seat) }),
  reopen: (app) => app.link.open(),
  copy: (app) => copy(location.href).then((done) => app.copied(done)),
  share: (app) => share(resultText(app.state)).then((done) => done && app.told(gettext("成绩已复制，发给牌友吧"))),
};

/** The phone's own sheet where there is one, else the clipboard; true if it was copied. */
async function share(text) {
  if (!navigator.share) return copy(`${text} ${location.origin}/`);
  await navigator.share({ text, url: `${location.origin}/` }).catch(() => {});
  return false;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function listen(root, app) {
  root.addEventListener("click", (event) => clicked(event, app));
  root.addEventListener("submit", (event) => said(event, app));
  document.addEventListener("keydown", (event) => keyed(event, app, root));
  document.addEventListener("pointerdown", wake);
  swipes(root, app);
}

function clicked(event, app) {
  const target = event.target.closest("[data-act]");
  if (!target || target.disabled || target.tagName === "FORM") return;
  if (target.dataset.act === "shut" && target.classList.contains("veil") && event.target !== target) return;
  ACTS[target.dataset.act]?.(app, target);
}

function said(event, app) {
  const form = event.target.closest("[data-act=say]");
  if (!form) return;
  event.preventDefault();
  const text = form.elements.text.value.trim();
  if (text) app.say({ text });
  form.reset();
}

/** A swipe up on a tile throws it; the click that follows is swallowed. */
function swipes(root, app) {
  let start = null;
  root.addEventListener("pointerdown", (event) => {
    const target = event.target.closest("[data-act=tile]");
    start = target && event.isPrimary ? { target, y: event.clientY, x: event.clientX } : null;
  });
  root.addEventListener("pointerup", (event) => {
    if (!start) return;
    const { target, x, y } = start;
    start = null;
    if (y - event.clientY < SWIPE || Math.abs(event.clientX - x) > y - event.clientY) return;
    swallowClick(root);
    app.tile(target.dataset.key, target.dataset.tile, { throwNow: true });
  });
  root.addEventListener("pointercancel", () => {
    start = null;
  });
}

function swallowClick(root) {
  const stop = (event) => event.stopPropagation();
  root.addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => root.removeEventListener("click", stop, { capture: true }), 60);
}

const typing = (target) => target instanceof Element && target.closest("input, textarea, select");

function keyed(event, app, root) {
  wake();
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "Escape") escaped(app);
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") step(app, root, event.key === "ArrowLeft" ? -1 : 1);
  else if (event.key === "Enter" || event.key === " ") entered(event, app);
  else if (/^\d$/.test(event.key)) pick(app, root, (Number(event.key) + 9) % 10);
  else if (!letter(event, app)) return;
  if (event.key !== "Enter" && event.key !== " ") event.preventDefault();
}

function letter(event, app) {
  const act = {
    c: () => app.call("chow"), p: () => app.call("pong"), g: () => app.call("kong"), h: () => app.call("win"),
    t: () => app.toggle("showWaits"), m: () => app.toggle("muted"), "?": () => app.panel("help"),
  }[event.key.length === 1 ? event.key.toLowerCase() : ""];
  act?.();
  return Boolean(act);
}

function escaped(app) {
  const { ui, state } = app;
  if (ui.escape || ui.notice) app.set({ escape: null, notice: null });
  else if (ui.panel) app.set({ panel: null });
  else if (ui.chooser) app.set({ chooser: null });
  else if (state.view?.phase === "over") app.set({ settlementHidden: true });
  else app.passByKey();
}

/** Enter throws the picked tile wherever the focus is, unless it is on another button. */
function entered(event, app) {
  if (event.target instanceof Element && event.target.closest("button, a, summary")) return;
  const { selected, selectedTile } = app.ui;
  if (selected) app.tile(selected, selectedTile);
}

const tilesOf = (app) => (app.state.view && app.state.view.you !== null && app.state.view.phase !== "fish" ? handTiles(app.state.view) : []);

function step(app, root, by) {
  const tiles = tilesOf(app);
  if (!tiles.length) return;
  const at = tiles.findIndex((one) => one.key === app.ui.selected);
  const next = at < 0 ? (by < 0 ? tiles.length - 1 : 0) : (at + by + tiles.length) % tiles.length;
  pick(app, root, next);
}

function pick(app, root, at) {
  const one = tilesOf(app)[at];
  if (!one) return;
  app.set({ selected: one.key, selectedTile: one.tile, focus: one.key });
  root.querySelector(`[data-key="${one.key}"]`)?.focus();
}

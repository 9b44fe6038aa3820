/** Boot of the room page: sprites, socket, app, and drawing at most once a frame. */

import { App, SWITCHES } from "./app.js";
import { patch, sprite } from "./dom.js";
import { listen } from "./input.js";
import { render } from "./render.js";
import { keepQuieted, quieted } from "./quiet.js";
import { Link } from "./socket.js";
import { play } from "./sound.js";

const root = document.getElementById("table");
const polite = document.getElementById("said-now");
const assertive = document.getElementById("called-now");
const KEPT = "table:switches";

const boot = {
  code: root.dataset.code,
  you: root.dataset.you === "" ? null : Number(root.dataset.you),
  lobby: root.dataset.lobby,
  login: root.dataset.login,
  coinLobby: root.dataset.coinLobby,
  qr: root.dataset.qr,
};

/** What the player set in their account; the switches of this device go before it until it is changed there. */
const preferred = {
  muted: root.dataset.prefSounds === "",
  speech: root.dataset.prefSpeech === "1",
  autoPass: root.dataset.prefAutoPass === "1",
};
const account = `${preferred.muted} ${preferred.speech}`;
root.classList.toggle("room--large", root.dataset.prefTiles === "large");
root.classList.toggle("room--marks", root.dataset.prefMarks === "1");

function kept() {
  try {
    const { account: under, ...switches } = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return under === account ? { ...preferred, ...switches } : { ...preferred, showWaits: switches.showWaits ?? true };
  } catch {
    return preferred;
  }
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Where the tile that is about to be thrown lies, so that it can fly from there. */
const placeOf = (key) => key && root.querySelector(`[data-key="${CSS.escape(key)}"]`)?.getBoundingClientRect();

function fly(from) {
  const target = root.querySelector(`[data-river="${app.state.you}"] .tl--pending`);
  if (!from || !target || calm.matches || !target.animate) return;
  const to = target.getBoundingClientRect();
  const move = `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / to.width})`;
  target.animate([{ transform: move, transformOrigin: "0 0" }, { transform: "none", transformOrigin: "0 0" }], { duration: 160, easing: "cubic-bezier(.2,.7,.3,1)" });
}

let thrown = null;

const page = {
  draw(current) {
    const fresh = current.state.answering;
    const throwing = fresh?.action.do === "discard" && fresh.id !== thrown;
    const from = throwing ? placeOf(lastPicked(current, fresh.action.tile)) : null;
    if (throwing) thrown = fresh.id;
    if (!ready) return;
    patch(root, render(current.state, current.ui));
    if (throwing) fly(from);
    tick();
    settleFocus();
  },
  announce(text, urgent) {
    (urgent ? assertive : polite).textContent = text;
  },
  keep(ui) {
    try {
      localStorage.setItem(KEPT, JSON.stringify({ account, ...Object.fromEntries(SWITCHES.map((name) => [name, ui[name]])) }));
    } catch {
      // private mode: nothing is kept
    }
  },
  keepQuieted,
  nonce: () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
  later: (call, ms) => setTimeout(call, ms),
  now: () => Date.now(),
  go: (url) => location.assign(url),
  change: () => document.getElementById("change")?.requestSubmit(),
};

const lastPicked = (current, tile) => [...root.querySelectorAll(".ht")].find((node) => node.dataset.key === current.ui.focus && node.dataset.tile === tile)?.dataset.key ?? root.querySelector(`.ht[data-tile="${tile}"]`)?.dataset.key;

let ready = false;
const app = new App({ boot, page, kept: { ...kept(), quiet: quieted() } });

/** The settlement takes the focus when it opens; chat scrolls to its newest line. */
let wasOpen = false;
function settleFocus() {
  const open = document.getElementById("settlement");
  if (open && !wasOpen) open.focus({ preventScroll: true });
  wasOpen = Boolean(open);
  const lines = root.querySelector(".chat__lines");
  if (lines && lines.dataset.bottom !== lines.shown) {
    lines.scrollTop = lines.scrollHeight;
    lines.shown = lines.dataset.bottom;
  }
  const log = root.querySelector(".side__log");
  if (log) log.scrollTop = log.scrollHeight;
}

const totals = new Map(); // phase of a deadline → its ms left when first seen, for the ring
let ticked = null;

/** What a clock shows: first the time of the question, then 备用时间 out of the seat's bank. */
function shownTime(node, now) {
  const left = Math.max(0, Number(node.dataset.deadline) - now);
  const reserve = Number(node.dataset.reserve ?? 0);
  return left > reserve ? { left: left - reserve, bank: false, last: reserve === 0 } : { left, bank: reserve > 0, last: true };
}

/** Every element with a deadline shows the seconds left and how much of its ring. */
function tick() {
  const now = app.now();
  for (const node of root.querySelectorAll("[data-deadline]")) {
    const { left, bank, last } = shownTime(node, now);
    const phase = `${node.dataset.deadline} ${bank}`;
    if (!totals.has(phase)) totals.set(phase, bank ? Number(node.dataset.reserve) : Math.max(left, 1));
    const seconds = Math.ceil(left / 1000);
    if (node.dataset.left !== String(seconds)) node.dataset.left = seconds;
    node.style.setProperty("--share", Math.min(1, left / totals.get(phase)).toFixed(3));
    node.classList.toggle("bank", bank);
    node.classList.toggle("late", last && seconds <= 5);
  }
  beep(now);
}

function beep(now) {
  const { ask, answering } = app.state;
  const left = ask && !answering ? Math.ceil((ask.deadline - now) / 1000) : 99;
  const mark = left <= 5 && left > 0 ? `${ask.ask}:${left}` : null;
  if (mark && mark !== ticked) play("tick", app.ui.muted);
  if (mark) ticked = mark;
}

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
app.link = new Link({
  url: `${scheme}//${location.host}${root.dataset.ws}`,
  onFrame: (frame) => app.receive(frame),
  onStatus: (status) => app.status(status),
});

listen(root, app);
setInterval(tick, 200);
addEventListener("online", () => app.link.nudge());
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && app.link.nudge());
app.link.open();
Promise.all([sprite(root.dataset.tiles), sprite(root.dataset.icons)]).finally(() => {
  ready = true;
  page.draw(app);
});

/** The replay page: a finished hand step by step from any seat, on the same board as live play, and its shuffle proved. */

import { board, flashes } from "./board.js";
import { heardLines, muteButtons, saidBody, saidText } from "./chat.js";
import { h, icon, patch, sprite } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { lineOf } from "./log.js";
import { formatTiles } from "./notation.js";
import { ownEdge } from "./own.js";
import { dealt, hex, seedOf, sha256, unhex, wallOf } from "./proof.js";
import { keepQuieted, quieted, turned } from "./quiet.js";
import { reduce } from "./reduce.js";
import { settlement } from "./settlement.js";
import { tile } from "./tiles.js";
import { place } from "./words.js";

const root = document.getElementById("replay");
const spoken = document.getElementById("said-now");
const SPEEDS = [1, 2, 4];
const STEP_MS = 1100;
const TOAST_MS = 3200;
const { names: players, totals, no } = JSON.parse(document.getElementById("players").textContent);
const key = root.dataset.chatKey || root.dataset.key; // with the chat's key the hand comes with what was said
const BUBBLE_STEPS = 3; // for how many steps a bubble stands

const page = { seat: root.dataset.you === "" ? 0 : Number(root.dataset.you), at: 0, playing: false, speed: 1, steps: [], panel: null, hidden: false, proof: null, error: "", said: null, quiet: quieted(), toast: "" };
let timer = null;

const address = (path, more = "", by = key) => `/hands/${root.dataset.hand}/${path}?k=${by}${more}`;

async function json(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

/** [{view, line, last, at}] after each event that shows something; the first is the hand before it. */
function stepsOf(told) {
  let view = told.view;
  let last = null;
  const steps = [{ view, line: gettext("开局"), last, at: told.started }];
  for (const { at, event } of told.steps.flatMap((step) => step.events.map((event) => ({ at: step.at, event })))) {
    const before = view;
    view = reduce(view, event);
    if (event.kind === "discarded") last = event.seat;
    if (event.kind === "dealt" || (event.kind === "melded" && event.meld.from === last)) last = null;
    const line = lineOf(event, before);
    if (line || event.kind === "drew") steps.push({ view, line: line ?? "", last, at });
  }
  return steps;
}

/** What was said, each line with the step that stood when it was said; lines of muted players are left out. */
const saidLines = () => heardLines(page.said ?? [], page.quiet).map((line) => ({ ...line, step: Math.max(0, page.steps.findLastIndex((step) => step.at <= line.at)) }));

/** The newest line of each seat within the last few steps, as bubbles at the seats. */
function bubbles() {
  const newest = new Map();
  for (const line of saidLines()) if (line.step <= page.at && line.step > page.at - BUBBLE_STEPS) newest.set(line.seat, line);
  return [...newest.values()].map((line) => ({ id: `${line.at}-${line.seat}`, place: place(line.seat, page.seat, players.length), kind: "said", body: line.emoji ? icon(line.emoji) : saidText(line) }));
}

/** The step in words, and what was said at it. */
const told = () => [page.steps[page.at]?.line, ...saidLines().filter((line) => line.step === page.at).map((line) => `${line.name}：${saidText(line)}`)].filter(Boolean).join("　");

let asked = 0; // views asked for: an answer that comes after a later question is not shown

async function look(seat) {
  const question = (asked += 1);
  try {
    const shown = await json(address("replay.json", `&seat=${seat}`));
    if (question !== asked) return;
    page.steps = stepsOf(shown);
    page.said = shown.said ?? null;
    page.seat = seat;
    page.at = Math.min(page.at, page.steps.length - 1);
    page.error = "";
  } catch {
    page.error = gettext("读取失败，请刷新页面。");
  }
  draw();
}

function stop() {
  clearInterval(timer);
  timer = null;
  page.playing = false;
}

function go(at) {
  page.at = Math.max(0, Math.min(at, page.steps.length - 1));
  page.hidden = false;
  if (page.at === page.steps.length - 1) stop();
  draw();
  spoken.textContent = told();
}

function play() {
  if (page.playing) return (stop(), draw());
  if (page.at === page.steps.length - 1) page.at = 0;
  page.playing = true;
  timer = setInterval(() => go(page.at + 1), STEP_MS / page.speed);
  return draw();
}

function faster() {
  page.speed = SPEEDS[(SPEEDS.indexOf(page.speed) + 1) % SPEEDS.length];
  if (page.playing) {
    clearInterval(timer);
    timer = setInterval(() => go(page.at + 1), STEP_MS / page.speed);
  }
  draw();
}

/** Every claim of the hand, worked out here: {done: [{what, holds}], wall, commit, secret, nonces, seed}. */
async function prove() {
  page.panel = "proof";
  draw();
  if (page.proof) return;
  try {
    const record = await json(address("record.json"));
    const seed = seedOf(record.secret, record.nonces, record.hand);
    const wall = wallOf(seed, record.preset, record.options);
    const { hands, drawn } = dealt(wall.tiles, record.dealer, players.length);
    const views = await Promise.all(players.map((_, seat) => json(address("replay.json", `&seat=${seat}`))));
    const shown = views.map((told, seat) => startOf(told, seat));
    const same = shown.every((own, seat) => own.hand === formatTiles(hands[seat]) && (seat !== record.dealer || own.drawn === drawn));
    page.proof = {
      record,
      wall,
      done: [
        { what: gettext("开局前公布的指纹，就是这份秘密的指纹"), holds: hex(sha256(unhex(record.secret))) === record.commit },
        { what: gettext("牌墙的种子由秘密、各家随机数和局号得出"), holds: hex(seed) === record.seed },
        { what: gettext("按种子洗出的牌墙，正是发到四家手里的牌"), holds: same },
      ],
    };
  } catch {
    page.error = gettext("读取失败，请刷新页面。");
  }
  draw();
}

/** What `seat` was dealt, by its own replay. */
function startOf(told, seat) {
  let view = told.view;
  for (const event of told.steps.flatMap((step) => step.events)) {
    if (view.phase !== "fish" && view.seats[seat].hand) break;
    view = reduce(view, event);
    if (event.kind === "dealt") break;
  }
  const own = view.seats[seat];
  const drawnNow = own.drawn ?? told.steps.flatMap((step) => step.events).find((event) => event.kind === "drew" && event.seat === seat)?.tile ?? null;
  return { hand: own.hand, drawn: drawnNow };
}

/** A link to the hand; with the chat only where the player says so. */
async function share(withChat = false) {
  const link = `${location.origin}${address("", "", withChat ? root.dataset.chatKey : root.dataset.key)}`;
  try {
    await navigator.clipboard.writeText(link);
    tell(gettext("链接已复制"));
  } catch {
    tell(link); // no clipboard: the link itself, to be copied by hand
  }
}

/** Says something for a moment, or until the next word. */
function tell(text) {
  page.toast = text;
  spoken.textContent = text;
  draw();
  setTimeout(() => page.toast === text && ((page.toast = ""), draw()), text.startsWith("http") ? 20_000 : TOAST_MS);
}

const button = (act, name, label, more = {}) => h("button", { class: "round", type: "button", "data-act": act, "aria-label": label, title: label, ...more }, icon(name));

function bar() {
  return h("header", { class: "bar bar--replay", key: "bar" }, [
    h("div", { class: "bar__left" }, h("h1", { class: "bar__code" }, root.dataset.title)),
    h("label", { class: "view-of" }, h("span", { class: "sr" }, gettext("视角")), h("select", { "data-act": "seat" }, players.map((name, seat) => h("option", { value: seat, selected: seat === page.seat }, name)))),
    h("div", { class: "bar__right" }, page.said && button("chat", "chat", gettext("聊天"), { class: "round" }), button("share", "copy", gettext("复制分享链接")), button("proof", "check", gettext("洗牌证明")), h("a", { class: "round", href: root.dataset.back, "aria-label": gettext("返回") }, icon("close"))),
  ]);
}

function controls() {
  const end = page.steps.length - 1;
  return h("div", { class: "reel", key: "reel", role: "group", "aria-label": gettext("回放") }, [
    h("input", { class: "reel__bar", type: "range", min: 0, max: end, value: String(page.at), "data-act": "seek", "aria-label": gettext("第几步"), "aria-valuetext": page.steps[page.at]?.line ?? "" }),
    h("div", { class: "reel__buttons" }, [
      h("button", { class: "button button--quiet", type: "button", "data-act": "first" }, gettext("开局")),
      h("button", { class: "button button--quiet", type: "button", "data-act": "back", disabled: page.at === 0 }, gettext("上一步")),
      h("button", { class: "button button--brass", type: "button", "data-act": "play" }, page.playing ? gettext("暂停") : gettext("播放")),
      h("button", { class: "button button--quiet", type: "button", "data-act": "next", disabled: page.at === end }, gettext("下一步")),
      h("button", { class: "button button--quiet", type: "button", "data-act": "faster" }, `×${page.speed}`),
      h("button", { class: "button button--quiet", type: "button", "data-act": "last" }, gettext("结算")),
    ]),
    h("p", { class: "reel__line" }, page.error || told() || " "),
  ]);
}

function proofPanel() {
  if (page.panel !== "proof") return null;
  const { proof } = page;
  return h("div", { class: "veil", key: "proof" }, h("section", { class: "settle proof", role: "dialog", "aria-label": gettext("洗牌证明"), tabindex: "-1" }, [
    h("header", { class: "settle__head" }, h("h2", null, gettext("洗牌证明")), h("p", null, ""), h("button", { class: "round", type: "button", "data-act": "close", "aria-label": gettext("关闭") }, icon("close"))),
    h("div", { class: "settle__body", tabindex: "0" }, proof ? proofBody(proof) : h("p", null, page.error || gettext("正在计算…"))),
  ]));
}

const proofBody = ({ record, wall, done }) => [
  h("ul", { class: "proof__done" }, done.map((one) => h("li", { class: one.holds ? "holds" : "fails" }, h("b", null, one.holds ? gettext("成立") : gettext("不成立")), one.what))),
  h("p", { class: "proof__note" }, gettext("以上由你的浏览器自己算出，不靠服务器。")),
  h("dl", { class: "proof__facts" }, [
    [gettext("指纹（开局前公布）"), record.commit],
    [gettext("秘密（局后公布）"), record.secret],
    ...record.nonces.map((nonce, seat) => [fill(gettext("%(name)s的随机数"), { name: players[seat] }), nonce || gettext("无")]),
    [gettext("种子"), record.seed],
    [gettext("骰子"), wall.dice.join("、")],
  ].flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
  h("h3", null, gettext("牌墙（摸牌顺序）")),
  h("div", { class: "proof__wall" }, wall.tiles.map((name) => tile(name))),
];

function chatPanel() {
  if (page.panel !== "chat") return null;
  const lines = saidLines();
  const names = [...new Set((page.said ?? []).map((line) => line.name))].filter((name) => name !== players[Number(root.dataset.you)] || root.dataset.you === "");
  return h("div", { class: "veil", key: "chat" }, h("section", { class: "settle talk", role: "dialog", "aria-label": gettext("聊天"), tabindex: "-1" }, [
    h("header", { class: "settle__head" }, h("h2", null, gettext("聊天")), h("p", null, ""), h("button", { class: "round", type: "button", "data-act": "close", "aria-label": gettext("关闭") }, icon("close"))),
    h("div", { class: "settle__body", tabindex: "0" }, [
      lines.length ? h("ol", { class: "talk__lines" }, lines.map((line) => h("li", { key: `${line.at}-${line.seat}` }, h("button", { type: "button", "data-act": "moment", "data-step": line.step }, h("small", null, `${line.name} · ${fill(gettext("第 %(n)s 步"), { n: line.step })}`), h("span", { class: "chat__text" }, saidBody(line)))))) : h("p", null, gettext("这一局没有人说话。")),
      muteButtons(names, page.quiet),
    ]),
    h("footer", { class: "settle__foot" }, h("button", { class: "button", type: "button", "data-act": "shareChat" }, icon("copy"), gettext("复制带聊天的链接"))),
  ]));
}

const settledSteps = () => [
  h("button", { class: "button button--quiet", type: "button", "data-act": "look" }, gettext("看牌面")),
  h("button", { class: "button button--main", type: "button", "data-act": "proof" }, icon("check"), gettext("洗牌证明")),
];

function draw() {
  const step = page.steps[page.at];
  root.dataset.seat = page.seat;
  const seats = players.map((name) => ({ name, color: "#2e7d5b", score: 0, online: true, auto: false, ready: true }));
  const state = { you: null, room: { seats, status: "between", next_at: null }, clock: null, last: step?.last ?? null, ask: null, answering: null, settled: totals && { score: totals, no }, link: { status: "open" }, stale: false, wonTile: null };
  const ui = { settlementHidden: page.hidden, outlook: null, showWaits: false, diceUntil: 0 };
  patch(root, [
    bar(),
    h("div", { class: "felt", key: "felt" }, step ? [board(state, step.view, ui), flashes(bubbles()), ownEdge(state, step.view, { ...ui, settlementHidden: false })] : null),
    controls(),
    step && page.at === page.steps.length - 1 ? settlement(state, step.view, ui, settledSteps()) : null,
    proofPanel(),
    chatPanel(),
    page.toast ? h("div", { class: "toast toast--link", key: "toast", role: "alert" }, page.toast) : null,
  ]);
}

function quiet(name) {
  page.quiet = turned(page.quiet, name);
  keepQuieted(page.quiet);
  draw();
}

const acts = {
  first: () => go(0), back: () => go(page.at - 1), next: () => go(page.at + 1), last: () => go(page.steps.length - 1),
  play, faster, proof: prove, share: () => share(), shareChat: () => share(true), chat: () => ((page.panel = "chat"), draw()),
  moment: (at) => ((page.panel = null), stop(), go(Number(at.dataset.step))), quiet: (at) => quiet(at.dataset.name), close: () => ((page.panel = null), draw()), look: () => ((page.hidden = true), draw()),
};

root.addEventListener("click", (event) => {
  const at = event.target.closest("button[data-act]");
  acts[at?.dataset.act]?.(at);
});
root.addEventListener("input", (event) => event.target.dataset.act === "seek" && (stop(), go(Number(event.target.value))));
root.addEventListener("change", (event) => event.target.dataset.act === "seat" && look(Number(event.target.value)));
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select")) return;
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play", Escape: "close" };
  if (event.key === " " && event.target.closest("button")) return;
  if (keys[event.key]) {
    event.preventDefault();
    acts[keys[event.key]]();
  }
});

await Promise.all([sprite(root.dataset.tiles), sprite(root.dataset.icons)]);
await look(page.seat);

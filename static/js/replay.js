/** The replay page: a finished hand step by step from any seat, on the same board as live play, and its shuffle proved. */

import { board } from "./board.js";
import { h, icon, patch } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { lineOf } from "./log.js";
import { formatTiles } from "./notation.js";
import { ownEdge } from "./own.js";
import { dealt, hex, seedOf, sha256, unhex, wallOf } from "./proof.js";
import { reduce } from "./reduce.js";
import { settlement } from "./settlement.js";
import { tile } from "./tiles.js";

const root = document.getElementById("replay");
const spoken = document.getElementById("said-now");
const SPEEDS = [1, 2, 4];
const STEP_MS = 1100;
const { names: players, totals, no } = JSON.parse(document.getElementById("players").textContent);
const key = root.dataset.key;

const page = { seat: root.dataset.you === "" ? 0 : Number(root.dataset.you), at: 0, playing: false, speed: 1, steps: [], panel: null, hidden: false, proof: null, error: "" };
let timer = null;

const address = (path, more = "") => `/hands/${root.dataset.hand}/${path}?k=${key}${more}`;

async function json(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

/** [{view, line, last}] after each event that shows something; the first is the hand before it. */
function stepsOf(told) {
  let view = told.view;
  let last = null;
  const steps = [{ view, line: gettext("开局"), last }];
  for (const event of told.steps.flatMap((step) => step.events)) {
    const before = view;
    view = reduce(view, event);
    if (event.kind === "discarded") last = event.seat;
    if (event.kind === "dealt" || (event.kind === "melded" && event.meld.from === last)) last = null;
    const line = lineOf(event, before);
    if (line || event.kind === "drew") steps.push({ view, line: line ?? "", last });
  }
  return steps;
}

let asked = 0; // views asked for: an answer that comes after a later question is not shown

async function look(seat) {
  const question = (asked += 1);
  try {
    const told = await json(address("replay.json", `&seat=${seat}`));
    if (question !== asked) return;
    page.steps = stepsOf(told);
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
  spoken.textContent = page.steps[page.at]?.line ?? "";
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

async function share() {
  const link = `${location.origin}${address("")}`;
  try {
    await navigator.clipboard.writeText(link);
    spoken.textContent = gettext("链接已复制");
    page.copied = true;
  } catch {
    page.copied = link;
  }
  draw();
}

const button = (act, name, label, more = {}) => h("button", { class: "round", type: "button", "data-act": act, "aria-label": label, title: label, ...more }, icon(name));

function bar() {
  return h("header", { class: "bar bar--replay", key: "bar" }, [
    h("div", { class: "bar__left" }, h("h1", { class: "bar__code" }, root.dataset.title)),
    h("label", { class: "view-of" }, h("span", { class: "sr" }, gettext("视角")), h("select", { "data-act": "seat" }, players.map((name, seat) => h("option", { value: seat, selected: seat === page.seat }, name)))),
    h("div", { class: "bar__right" }, button("share", "copy", gettext("复制分享链接")), button("proof", "check", gettext("洗牌证明")), h("a", { class: "round", href: root.dataset.back, "aria-label": gettext("返回") }, icon("close"))),
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
    h("p", { class: "reel__line" }, page.error || page.steps[page.at]?.line || " "),
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

function draw() {
  const step = page.steps[page.at];
  root.dataset.seat = page.seat;
  const seats = players.map((name) => ({ name, color: "#2e7d5b", score: 0, online: true, auto: false, ready: true }));
  const state = { you: null, room: { seats, status: "between", next_at: null }, clock: null, last: step?.last ?? null, ask: null, answering: null, settled: totals && { score: totals, no }, stale: false, wonTile: null };
  const ui = { settlementHidden: page.hidden, outlook: null, showWaits: false, diceUntil: 0 };
  patch(root, [
    bar(),
    h("div", { class: "felt", key: "felt" }, step ? [board(state, step.view, ui), ownEdge(state, step.view, { ...ui, settlementHidden: false })] : null),
    controls(),
    step && page.at === page.steps.length - 1 ? settlement(state, step.view, ui) : null,
    proofPanel(),
  ]);
}

const acts = {
  first: () => go(0), back: () => go(page.at - 1), next: () => go(page.at + 1), last: () => go(page.steps.length - 1),
  play, faster, proof: prove, share, close: () => ((page.panel = null), draw()), look: () => ((page.hidden = true), draw()),
};

root.addEventListener("click", (event) => acts[event.target.closest("button[data-act]")?.dataset.act]?.());
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

async function sprite(url) {
  const svg = new DOMParser().parseFromString(await (await fetch(url)).text(), "image/svg+xml").documentElement;
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("sprite");
  document.body.append(document.importNode(svg, true));
}

await Promise.all([sprite(root.dataset.tiles), sprite(root.dataset.icons)]);
await look(page.seat);

/** 算分器 by taps: the text fields stay the form's truth, and are hidden behind drawn places and tile keys. */

import { patch } from "./dom.js";
import { gettext } from "./i18n.js";
import { empty, following, fits, put, read, take, write } from "./calculator-model.js";
import { builder, errorField, keys, placeOf, useSprite } from "./calculator-view.js";

const form = document.getElementById("calc");
const built = document.getElementById("built");
const keyboard = document.getElementById("keys");
const texts = document.getElementById("texts");
useSprite(form.dataset.tiles);

const model = { state: empty(), active: null, suit: "m", errors: {}, meldKind: "p", feeder: null };
let tapping = false;

/** Values of the form's choices: radios, boxes and hidden inputs. */
const chosen = (name) => new FormData(form).get(name) ?? "";
const OPTIONS = ["players", "fish", "fish_count", "no_dots", "no_honors", "wild_red"];

function game() {
  const options = Object.fromEntries(OPTIONS.map((name) => [name, chosen(name)]));
  const players = Number(options.players) || 4;
  const winners = new FormData(form).getAll("win").map(Number).sort();
  const turned = { 159: Number(options.fish_count), follow: Number(options.fish_count), bomb: 1 }[options.fish] ?? 0;
  const feeder = model.feeder && model.feeder <= players && model.feeder !== model.active?.seat ? model.feeder : (model.active?.seat ?? 1) % players + 1;
  return { options, players, winners, end: chosen("end"), from: Number(chosen("from")), pond: options.fish === "pond", flips: turned * Math.max(1, winners.length), meldKind: model.meldKind, feeder };
}

/** An input for every text field, also those the server left out (fish where there was no pond). */
function field(name) {
  let input = form.elements.namedItem(name);
  if (!input) {
    input = document.createElement("input");
    Object.assign(input, { type: "hidden", name });
    form.append(input);
  }
  return input;
}

function draw() {
  choices();
  if (!tapping) return;
  model.game = game();
  patch(built, builder(model));
  keyboard.hidden = model.active === null;
  patch(keyboard, model.active ? [keys(model)] : []);
  for (const [name, value] of Object.entries(write(model.state))) field(name).value = value;
}

/** Shows only the questions this ending has, and never a winner as their own discarder. */
function choices() {
  const now = game();
  for (const part of form.querySelectorAll("[data-for]")) {
    const used = part.dataset.for.split(" ").includes(now.end) && !(part.id === "at-after" && !kongs(now).length);
    part.hidden = !used;
  }
  for (const input of form.querySelectorAll("[name=win]")) input.type = now.end === "self_draw" ? "radio" : "checkbox";
  const froms = [...form.querySelectorAll("[name=from]")];
  for (const input of froms) input.disabled = now.winners.includes(Number(input.value)) || Number(input.value) > now.players;
  const kept = froms.find((input) => input.checked && !input.disabled);
  if (!kept) for (const input of froms) input.checked = input === froms.find((one) => !one.disabled);
  for (const label of form.querySelectorAll("#at-win [data-seat], #at-from [data-seat]")) label.hidden = Number(label.dataset.seat) > now.players;
  afterChoices(now);
}

/** The kongs that may stand before the win: the winner's own, or any one of the discarder's. */
function kongs(now) {
  if (!tapping) return [1, 2, 3, 4];
  const seat = now.end === "self_draw" ? now.winners[0] : now.end === "discard" ? now.from : 0;
  const melds = model.state.seats[seat - 1]?.melds ?? [];
  const found = melds.flatMap((meld, at) => ("dak".includes(meld.kind) ? [at + 1] : []));
  return now.end === "self_draw" ? found : found.slice(0, 1).map(() => 1);
}

function afterChoices(now) {
  const offered = kongs(now);
  for (const label of form.querySelectorAll("#after [data-meld]")) {
    const number = Number(label.dataset.meld);
    const input = label.querySelector("input");
    label.hidden = !offered.includes(number);
    if (tapping) label.querySelector("span").textContent = now.end === "discard" ? gettext("放炮者刚杠过") : `${gettext("杠上花")} ${number}`;
    if (label.hidden && input.checked) form.querySelector("#after input[value='']").checked = true;
  }
}

function open(place) {
  model.active = place;
  draw();
  built.querySelector(".slot--active")?.scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function tapped(tile) {
  const { active } = model;
  if (!fits(model.state, active, tile, model.game)) return;
  model.state = put(model.state, active, tile, model.game);
  delete model.errors[errorField(active)];
  const next = following(model.state, active, model.game);
  if (next !== active) open(next);
  else draw();
}

built.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  const place = event.target.closest("[data-place]")?.dataset.place;
  if (button?.dataset.take !== undefined) {
    model.state = take(model.state, placeOf(button.dataset.from), Number(button.dataset.take));
    open(placeOf(button.dataset.from));
  } else if (button?.dataset.clear !== undefined) {
    model.state = empty();
    model.errors = {};
    draw();
  } else if (button?.dataset.text !== undefined) {
    useTexts();
  } else if (place) {
    open(placeOf(place));
  }
});

keyboard.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { tile, suit, kind, feeder, done, back } = button.dataset;
  if (tile) return tapped(tile);
  if (suit) model.suit = suit;
  if (kind) model.meldKind = kind;
  if (feeder) model.feeder = Number(feeder);
  if (done !== undefined) model.active = null;
  if (back !== undefined) model.state = take(model.state, model.active, last(model.active));
  draw();
});

const last = ({ at, seat }) => {
  const own = seat && model.state.seats[seat - 1];
  return (at === "hand" ? own.hand : at === "meld" ? own.melds : at === "fish" ? own.fish : model.state[at]).length - 1;
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && model.active) {
    model.active = null;
    draw();
  }
});

form.addEventListener("change", (event) => {
  const label = form.querySelector(`[data-now="${CSS.escape(event.target.name)}"]`);
  if (label) label.textContent = `${event.target.closest("fieldset").querySelector("legend").textContent} ${event.target.nextElementSibling.textContent}`;
  if (label) label.hidden = event.target.value === "0";
  draw();
});

/** Back to the text fields: their values are up to date. */
function useTexts() {
  tapping = false;
  model.active = null;
  keyboard.hidden = true;
  built.hidden = true;
  for (const part of form.querySelectorAll(".plain")) part.hidden = false;
  choices();
}

function useTaps() {
  const fields = Object.fromEntries(new FormData(form));
  const state = read(fields);
  if (!state) return; // something cannot be read as tiles: the text stays, with the server's word on it
  Object.assign(model, { state, errors: Object.fromEntries([...texts.querySelectorAll("[data-error]")].map((one) => [one.dataset.error, one.textContent])) });
  tapping = true;
  built.hidden = false;
  for (const part of form.querySelectorAll(".plain")) part.hidden = true;
  for (const one of texts.querySelectorAll("[id^=at-]")) one.removeAttribute("id");
}

useTaps();
draw();
if (tapping && !document.getElementById("answer")) built.querySelector(".slot--active")?.scrollIntoView({ block: "nearest" });

const copy = document.getElementById("copy");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const link = document.getElementById("link");
    try {
      await navigator.clipboard.writeText(link.value);
      copy.textContent = gettext("已复制");
    } catch {
      link.select();
    }
  });
}

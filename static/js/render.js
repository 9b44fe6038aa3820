/** The whole page from the state: which of its faces shows, and the layers above it. Pure; main.js patches it in. */

import { h } from "./dom.js";
import { gettext } from "./i18n.js";
import { board, flashes } from "./board.js";
import { ownEdge } from "./own.js";
import { finalTable, settlement } from "./settlement.js";
import { closedSheet, escapeSheet } from "./coins.js";
import { bar, closedNotice, dissolvePrompt, elsewhereNotice, help, isElsewhere, menu, waitingRoom } from "./sheets.js";
import { sidePanel } from "./chat.js";
import { shown } from "./store.js";

/** "boot" | "waiting" | "table" | "final" */
export function faceOf(state, ui) {
  const { room, view } = state;
  if (!room) return "boot";
  if (room.status === "waiting") return settledHere(state) && !ui.sitting ? "table" : "waiting";
  const over = room.status === "done" || room.status === "dissolved";
  if (over && (!view || ui.showFinal || view.phase !== "over")) return "final";
  return view ? "table" : "boot";
}

/** Somebody left a coin table after the hand: its settlement stays up until the player goes on. Who has just sat down saw no hand. */
const settledHere = ({ room, view, you }) => Boolean(room.stake && view?.phase === "over" && you !== null && !room.seats[you]?.ready);

export function render(given, ui) {
  const state = isElsewhere(given) ? { ...given, ask: null } : given; // who only watches is asked nothing
  const which = faceOf(state, ui);
  const layers = [dissolvePrompt(state), menu(state, ui), help(ui), closedSheet(ui), escapeSheet(ui), toast(ui), closedNotice(state)];
  if (which === "boot") return [h("p", { class: "boot", key: "boot" }, h("span", { class: "boot__leaf", "aria-hidden": "true" }), gettext("正在进入房间…")), closedNotice(state)];
  if (which === "waiting") return [bar(state, ui), waitingRoom(state), sidePanel(state, ui), ...layers];
  if (which === "final") return [bar(state, ui), finalTable(state, isElsewhere(state) && elsewhereNotice(state)), sidePanel(state, ui), ...layers];
  const view = shown(state);
  return [
    bar(state, ui),
    h("div", { class: `felt${state.stale ? " felt--stale" : ""}`, key: "felt", inert: Boolean(view.phase === "over" && !ui.settlementHidden && view.result) }, [
      board(state, view, ui),
      flashes(ui.flashes),
      ownEdge(state, view, ui),
    ]),
    sidePanel(state, ui),
    settlement(state, view, ui, isElsewhere(state) && elsewhereNotice(state)),
    ...layers,
  ];
}

const toast = (ui) => (ui.toast ? h("div", { class: "toast", key: `toast${ui.toast.id}`, role: "alert" }, ui.toast.text) : null);

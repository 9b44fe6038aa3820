/** The page's state and how server frames change it: fold(state, frame) is pure, the effects it wants are listed in `wants`. */

import { reduce } from "./reduce.js";
import { parseTiles, formatTiles, without } from "./notation.js";

const SAID_KEPT = 50;

export function initial({ you, code }) {
  return {
    code,
    you,
    room: null,
    roomSeq: -1,
    names: null, // who played the hand: at a coin table seats change hands before its settlement is put away
    hand: null,
    seq: 0,
    view: null,
    clock: null,
    ask: null,
    answering: null, // the action sent for the open question, until the server answers: {id, ask, action}
    settled: null,
    said: [],
    offset: 0, // server clock minus ours, in ms
    stale: true, // no sync since the line was lost: the table is frozen
    syncing: false, // a sync was asked for and has not come
    link: { status: "connecting", rtt: null },
    wonTile: null,
    last: null, // the seat whose discard lies ringed
    news: [], // what just happened, for log, sound and animation
    wants: [], // commands to send: {do: "sync"}
  };
}

const emptyAsk = (ask) => !ask || ask.actions.length === 0;

function withRoom(state, seq, room) {
  if (seq < state.roomSeq) return state;
  const names = room.status === "playing" || !state.names ? room.seats.map((seat) => seat?.name ?? null) : state.names;
  return { ...state, room, roomSeq: seq, names };
}

function synced(state, frame) {
  return {
    ...withRoom({ ...state, roomSeq: -1 }, -1, frame.room), // a sync is newer than any room frame before it
    you: frame.you,
    hand: frame.hand,
    seq: frame.seq,
    view: frame.view,
    clock: frame.clock,
    ask: emptyAsk(frame.ask) ? null : frame.ask,
    said: frame.said ?? state.said,
    settled: frame.settled ?? null,
    answering: null,
    stale: false,
    syncing: false,
    offset: frame.now - frame.at,
    wonTile: frame.hand === state.hand ? state.wonTile : null,
    last: frame.view?.phase === "claim" ? frame.view.pending.seat : null,
    news: [{ kind: "synced" }],
  };
}

function setAuto(state, { seat, on }) {
  if (!state.room?.seats[seat]) return state;
  const seats = state.room.seats.map((one, index) => (index === seat ? { ...one, auto: on } : one));
  return { ...state, room: { ...state.room, seats } };
}

function lastAfter(last, event) {
  if (event.kind === "discarded") return event.seat;
  if (event.kind === "melded" && event.meld.from === last) return null;
  return event.kind === "dealt" ? null : last;
}

const needSync = (state) => ({ ...state, syncing: true, wants: state.syncing ? [] : [{ do: "sync" }] });

function happened(state, frame) {
  const { event } = frame;
  if (event.kind === "auto") return { ...setAuto(state, event), seq: frame.seq === state.seq + 1 ? frame.seq : state.seq, news: [event] };
  if (frame.hand === state.hand && frame.seq <= state.seq) return state;
  if (frame.hand !== state.hand || !state.view || frame.seq !== state.seq + 1) return needSync(state);
  const own = event.seat === state.you;
  return {
    ...state,
    seq: frame.seq,
    view: reduce(state.view, event),
    clock: frame.clock,
    last: lastAfter(state.last, event),
    wonTile: event.kind === "won" ? event.tile : state.wonTile,
    ask: own || event.kind === "ended" ? null : state.ask,
    answering: own || state.answering?.acked ? null : state.answering,
    news: [event],
  };
}

function asked(state, frame) {
  if (frame.hand !== state.hand) return state;
  if (frame.actions.length === 0) return state.ask?.ask === frame.ask ? { ...state, ask: null } : state;
  return {
    ...state,
    ask: { ask: frame.ask, actions: frame.actions, deadline: frame.deadline, reserve: frame.reserve ?? 0, seq: frame.seq },
    answering: null,
    news: [{ kind: "asked", actions: frame.actions, deadline: frame.deadline }],
  };
}

/** A command's answer. A refused move goes back where it was. */
function answered(state, frame) {
  const mine = state.answering && state.answering.id === frame.id;
  if (frame.on === "ack") {
    if (!mine) return state;
    const done = state.ask?.ask === state.answering.ask;
    return { ...state, ask: done ? null : state.ask, answering: { ...state.answering, acked: true } };
  }
  const news = [{ kind: "refused", code: frame.code, text: frame.text, command: frame.command }];
  const next = mine ? { ...state, answering: null } : state;
  return frame.code === "stale" ? { ...needSync(next), news } : { ...next, news };
}

/** The state after a frame that arrived at local time `at`. */
export function fold(before, frame, at) {
  const state = { ...before, news: [], wants: [] };
  switch (frame.on) {
    case "room":
      return { ...withRoom(state, frame.seq, frame.room), news: [{ kind: "room" }] };
    case "sync":
      return synced(state, { ...frame, at });
    case "event":
      return happened({ ...state, offset: clockOffset(state, frame, at) }, frame);
    case "ask":
      return asked({ ...state, offset: clockOffset(state, frame, at) }, frame);
    case "settled":
      return { ...state, settled: frame, ask: null, clock: null, answering: null, news: [{ kind: "settled" }] };
    case "said":
      return { ...state, said: [...state.said, frame].slice(-SAID_KEPT), news: [{ kind: "said", said: frame }] };
    case "ack":
    case "error":
      return answered(state, frame);
    case "pong":
      return ponged(state, frame, at);
    default:
      return state;
  }
}

/** One-way delay is unknown, so the largest difference seen (the quickest frame) is nearest the truth. */
const clockOffset = (state, frame, at) => Math.max(state.offset, frame.now - at);

function ponged(state, frame, at) {
  const offset = frame.rtt === undefined ? state.offset : frame.now + frame.rtt / 2 - at;
  const behind = frame.seq !== undefined && state.hand !== null && !state.stale && frame.seq > state.seq;
  return { ...state, offset, syncing: behind, wants: behind ? [{ do: "sync" }] : [] };
}

export function linked(before, link) {
  const lost = link.status === "down";
  return { ...before, link, stale: before.stale || lost, syncing: before.syncing && !lost, news: [], wants: [] };
}

/** The action is on its way: own discards move at once, everything else is only pressed. */
export function answering(before, id, action) {
  return { ...before, answering: { id, ask: before.ask?.ask, action, acked: false }, news: [{ kind: "answered", action }], wants: [] };
}

/** The view to draw: the server's, with an own discard that is still on its way already in the river. */
export function shown(state) {
  const { view, answering: sent } = state;
  if (!view || view.phase !== "turn" || view.turn !== state.you || sent?.action.do !== "discard") return view;
  const own = view.seats[state.you];
  const { tile } = sent.action;
  const drawn = sent.drawn ?? own.drawn === tile;
  const rest = drawn ? parseTiles(own.hand) : [...without(parseTiles(own.hand), tile), ...(own.drawn ? [own.drawn] : [])];
  const seat = {
    ...own,
    hand: formatTiles(rest),
    drawn: null,
    has_drawn: false,
    count: own.count - 1,
    river: [...own.river, { tile, drawn, taken: false, pending: true }],
  };
  return { ...view, seats: view.seats.map((one, index) => (index === state.you ? seat : one)) };
}

export const canAct = (state) => Boolean(state.ask && !state.answering && !state.stale && state.link.status !== "elsewhere");

export const findAction = (state, wanted) =>
  state.ask?.actions.find((action) => Object.entries(wanted).every(([name, value]) => action[name] === value));

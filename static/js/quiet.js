/** Whose chat this viewer does not want to read: names (they are unique), kept on this device for table and replay. */

const KEPT = "chat:quiet";
const MOST = 200;

export function quieted() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/** The list with `name` put in or taken out. */
export const turned = (quiet, name) => (quiet.includes(name) ? quiet.filter((one) => one !== name) : [...quiet, name].slice(-MOST));

export function keepQuieted(quiet) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(quiet));
  } catch {
    // private mode: nothing is kept
  }
}

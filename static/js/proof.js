/** The shuffle's proof, worked out by the reader's own browser: SHA-256, the wall of RULES 2.3 and its opening. Pure. */

const primes = (count) => {
  const found = [];
  for (let n = 2; found.length < count; n += 1) if (found.every((p) => n % p)) found.push(n);
  return found;
};
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) >>> 0;
const K = primes(64).map((p) => fraction(Math.cbrt(p)));
const START = primes(8).map((p) => fraction(Math.sqrt(p)));
const turn = (word, by) => (word >>> by) | (word << (32 - by));

/** SHA-256 (FIPS 180-4) of bytes, as bytes. Our own, because browsers offer theirs on https pages only. */
export function sha256(bytes) {
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const sum = [...START];
  const w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i += 1) {
      const a = w[i - 15];
      const b = w[i - 2];
      w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    block(sum, w);
  }
  const out = new DataView(new ArrayBuffer(32));
  sum.forEach((word, i) => out.setUint32(4 * i, word));
  return new Uint8Array(out.buffer);
}

function block(sum, w) {
  let [a, b, c, d, e, f, g, hh] = sum;
  for (let i = 0; i < 64; i += 1) {
    const one = (hh + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [hh, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, hh].forEach((word, i) => {
    sum[i] = (sum[i] + word) >>> 0;
  });
}

export const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

const number8 = (value) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value));
  return new Uint8Array(view.buffer);
};

const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));

/** SHA-256(secret ‖ nonce₀ ‖ … ‖ hand id as 8 bytes): the wall's seed (DESIGN 6.9). */
export const seedOf = (secret, nonces, hand) => sha256(joined(unhex(secret), ...nonces.map(unhex), number8(hand)));

/** Draws below k from SHA-256(seed ‖ c), four bytes each, those that would favour small numbers thrown away. */
function drawing(seed) {
  let bytes = [];
  let c = 0;
  const four = () => {
    if (bytes.length < 4) bytes = [...bytes, ...sha256(joined(seed, number8(c++)))];
    return bytes.splice(0, 4).reduce((sum, byte) => sum * 256 + byte, 0);
  };
  return (k) => {
    const fair = Math.floor(2 ** 32 / k) * k;
    let r = four();
    while (r >= fair) r = four();
    return r % k;
  };
}

const SUITS = ["m", "p", "s", "z"];

function kinds(options) {
  const all = SUITS.flatMap((suit) => Array.from({ length: suit === "z" ? 7 : 9 }, (_, n) => `${n + 1}${suit}`));
  const out = (kind) => (options.no_dots && kind[1] === "p") || (options.no_honors && kind[1] === "z" && !(options.wild_red && kind === "7z"));
  return all.filter((kind) => !out(kind));
}

/** {tiles in draw order after the opening, dice} (RULES 2.3, 2.4). */
export function wallOf(seed, preset, options) {
  const below = drawing(seed);
  const tiles = kinds(options).flatMap((kind) => [kind, kind, kind, kind]);
  for (let i = tiles.length - 1; i > 0; i -= 1) {
    const j = below(i + 1);
    [tiles[i], tiles[j]] = [tiles[j], tiles[i]];
  }
  const dice = [1 + below(6), 1 + below(6)];
  const [low, high] = [...dice].sort((a, b) => a - b);
  const tiantian = preset === "tiantian";
  const side = ((tiantian ? low + high : high) - 1) % 4;
  const skip = tiantian ? low : low + high;
  const stacks = tiles.length / 2;
  const start = (2 * (Math.floor((side * stacks) / 4) + skip)) % tiles.length;
  return { tiles: [...tiles.slice(start), ...tiles.slice(0, start)], dice };
}

/** The hands dealt from the wall's front: 4, 4, 4, 1 each from the dealer on; the dealer's fourteenth apart (RULES 2.5). */
export function dealt(tiles, dealer, players) {
  const hands = Array.from({ length: players }, () => []);
  let at = 0;
  for (const take of [4, 4, 4, 1]) {
    for (let step = 0; step < players; step += 1) {
      hands[(dealer + step) % players].push(...tiles.slice(at, at + take));
      at += take;
    }
  }
  return { hands, drawn: tiles[at] };
}

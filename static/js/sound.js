/** Sounds made on the spot with WebAudio; the calls may also be spoken. Nothing is downloaded. */

import { gettext } from "./i18n.js";

let context = null;

/** Browsers allow sound only after a gesture: call this from one. */
export function wake() {
  const Context = globalThis.AudioContext ?? globalThis.webkitAudioContext;
  if (!Context) return;
  context ??= new Context();
  if (context.state === "suspended") context.resume().catch(() => {});
}

function tone(frequency, at, length, volume, type = "sine") {
  const oscillator = context.createOscillator();
  const gain = context.createGain();
  oscillator.type = type;
  oscillator.frequency.value = frequency;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(volume, at + 0.006);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}

function knock(at, length, frequency, volume) {
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * length), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i += 1) samples[i] = (Math.random() * 2 - 1) * (1 - i / samples.length) ** 3;
  const source = context.createBufferSource();
  const filter = context.createBiquadFilter();
  const gain = context.createGain();
  source.buffer = buffer;
  filter.type = "bandpass";
  filter.frequency.value = frequency;
  filter.Q.value = 1.2;
  gain.gain.value = volume;
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(at);
}

const SOUNDS = {
  clack: (at) => { knock(at, 0.05, 2600, 0.9); knock(at + 0.012, 0.07, 900, 0.6); },
  draw: (at) => knock(at, 0.035, 3400, 0.25),
  call: (at) => { knock(at, 0.06, 1500, 0.8); tone(520, at, 0.18, 0.12, "triangle"); },
  kong: (at) => { knock(at, 0.09, 800, 1); tone(392, at, 0.25, 0.14, "triangle"); tone(523, at + 0.09, 0.3, 0.12, "triangle"); },
  win: (at) => [523, 659, 784, 1047].forEach((pitch, i) => tone(pitch, at + i * 0.1, 0.5, 0.13, "triangle")),
  lose: (at) => [392, 330, 262].forEach((pitch, i) => tone(pitch, at + i * 0.14, 0.4, 0.09)),
  turn: (at) => { tone(880, at, 0.14, 0.07); tone(1175, at + 0.07, 0.2, 0.06); },
  tick: (at) => tone(1250, at, 0.06, 0.08, "square"),
  said: (at) => tone(700, at, 0.1, 0.05),
};

export function play(name, muted) {
  if (muted || !context || context.state !== "running") return;
  SOUNDS[name]?.(context.currentTime + 0.005);
}

export function speak(word, on) {
  if (!on || !globalThis.speechSynthesis) return;
  const utterance = new SpeechSynthesisUtterance(word);
  utterance.lang = gettext("zh-CN");
  utterance.rate = 1.15;
  speechSynthesis.speak(utterance);
}

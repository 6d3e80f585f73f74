// Short sounds, which are synthesised. They are off by default, and the page shows everything that they tell.
// session.js decides when one is played.

import { USUAL_VOLUME } from './settings.js';

/** @type {AudioContext | null} */
let context = null;

/** Allows sound: to be called when somebody has touched the page or pressed a key, since browsers forbid it before. */
export function unlockSound() {
  try {
    context ??= new AudioContext();
    if (context.state === 'suspended') void context.resume();
  } catch {
    // The device has no sound.
  }
}

/** @typedef {keyof typeof SOUNDS} SoundName */

/**
 * Plays a sound.
 * @param {SoundName} name
 * @param {number} volume from 1 to `MAX_VOLUME`
 */
export function playSound(name, volume) {
  if (navigator.userActivation?.hasBeenActive === false) return;
  unlockSound();
  if (!context) return;
  const out = new GainNode(context, { gain: (volume / USUAL_VOLUME) ** 2 });
  out.connect(context.destination);
  SOUNDS[name](out, context.currentTime);
}

/** The sounds by name; `pluck` is that of a trick that costs its taker points. */
const SOUNDS = {
  card: noise,
  turn: (/** @type {GainNode} */ out, /** @type {number} */ at) => tones(out, at, [440, 587.33], 0.12),
  trick: thump,
  pluck: (/** @type {GainNode} */ out, /** @type {number} */ at) => {
    thump(out, at);
    pluck(out, at + 0.09);
  },
  end: (/** @type {GainNode} */ out, /** @type {number} */ at) => tones(out, at, [392, 493.88, 587.33, 783.99], 0.16),
};

/**
 * A card is put down: 30 ms of filtered noise.
 * @param {GainNode} out
 * @param {number} at
 */
function noise(out, at) {
  const audio = /** @type {AudioContext} */ (out.context);
  const length = Math.round(audio.sampleRate * 0.03);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i += 1) samples[i] = (Math.random() * 2 - 1) * (1 - i / length);
  const source = new AudioBufferSourceNode(audio, { buffer });
  const filter = new BiquadFilterNode(audio, { type: 'bandpass', frequency: 1800, Q: 0.8 });
  source
    .connect(filter)
    .connect(new GainNode(audio, { gain: 0.25 }))
    .connect(out);
  source.start(at);
}

/**
 * Soft tones, one after the other.
 * @param {GainNode} out
 * @param {number} at
 * @param {number[]} pitches
 * @param {number} each
 */
function tones(out, at, pitches, each) {
  pitches.forEach((frequency, i) => {
    const start = at + i * each;
    const end = start + each * 2;
    const gain = new GainNode(out.context, { gain: 0 });
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(0.16, start + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.001, end);
    tone(gain, { type: 'sine', frequency }, start, end).connect(gain).connect(out);
  });
}

/**
 * A low tone whose pitch falls.
 * @param {GainNode} out
 * @param {number} at
 */
function thump(out, at) {
  const gain = new GainNode(out.context, { gain: 0 });
  gain.gain.setValueAtTime(0.4, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + 0.22);
  const low = tone(gain, { type: 'sine', frequency: 130 }, at, at + 0.22);
  low.frequency.exponentialRampToValueAtTime(65, at + 0.12);
  low.connect(gain).connect(out);
}

/**
 * A plucked string.
 * @param {GainNode} out
 * @param {number} at
 */
function pluck(out, at) {
  const gain = new GainNode(out.context, { gain: 0 });
  gain.gain.setValueAtTime(0.12, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + 0.25);
  tone(gain, { type: 'triangle', frequency: 311.13 }, at, at + 0.25)
    .connect(gain)
    .connect(out);
}

/**
 * An oscillator that sounds from `start` to `end`.
 * @param {GainNode} gain
 * @param {OscillatorOptions} options
 * @param {number} start
 * @param {number} end
 */
function tone(gain, options, start, end) {
  const oscillator = new OscillatorNode(gain.context, options);
  oscillator.start(start);
  oscillator.stop(end);
  return oscillator;
}

// Short sounds, made in place; off unless somebody wants them, and never the only sign of anything.

/** @type {AudioContext | null} */
let context = null;

/**
 * Plays what has happened.
 * @param {'card' | 'turn' | 'trick' | 'end'} name
 */
export function play(name) {
  try {
    context ??= new AudioContext();
    if (context.state === 'suspended') void context.resume();
    SOUNDS[name](context, context.currentTime);
  } catch {
    // Without sound.
  }
}

const SOUNDS = {
  card: noise,
  turn: (/** @type {AudioContext} */ audio, /** @type {number} */ at) => tones(audio, at, [440, 587.33], 0.12),
  trick: (/** @type {AudioContext} */ audio, /** @type {number} */ at) => tones(audio, at, [98], 0.2),
  end: (/** @type {AudioContext} */ audio, /** @type {number} */ at) => tones(audio, at, [392, 493.88, 587.33, 783.99], 0.16),
};

/**
 * A card that is put down: 30 ms of filtered noise.
 * @param {AudioContext} audio
 * @param {number} at
 */
function noise(audio, at) {
  const length = Math.round(audio.sampleRate * 0.03);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i += 1) samples[i] = (Math.random() * 2 - 1) * (1 - i / length);
  const source = new AudioBufferSourceNode(audio, { buffer });
  const filter = new BiquadFilterNode(audio, { type: 'bandpass', frequency: 1800, Q: 0.8 });
  source.connect(filter).connect(new GainNode(audio, { gain: 0.25 })).connect(audio.destination);
  source.start(at);
}

/**
 * Soft tones, one after the other.
 * @param {AudioContext} audio
 * @param {number} at
 * @param {number[]} pitches
 * @param {number} each
 */
function tones(audio, at, pitches, each) {
  pitches.forEach((frequency, i) => {
    const start = at + i * each;
    const gain = new GainNode(audio, { gain: 0 });
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(0.16, start + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.001, start + each * 2);
    const tone = new OscillatorNode(audio, { type: 'sine', frequency });
    tone.connect(gain).connect(audio.destination);
    tone.start(start);
    tone.stop(start + each * 2);
  });
}

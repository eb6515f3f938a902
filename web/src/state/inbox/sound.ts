/** Short tones, a figure per kind of news; made on the spot, so nothing is loaded. */

import type { NewsKind } from "./announce";

const FIGURES: Readonly<Record<NewsKind, readonly number[]>> = {
  needs: [660, 880],
  failed: [330, 247],
  finished: [523],
};
const NOTE_SECONDS = 0.12;
const LOUDNESS = 0.08;
let context: AudioContext | null = null;

export function playSound(kind: NewsKind): void {
  context ??= new AudioContext();
  const from = context.currentTime;
  FIGURES[kind].forEach((pitch, place) => {
    if (context !== null) note(context, pitch, from + place * NOTE_SECONDS);
  });
}

function note(on: AudioContext, pitch: number, at: number): void {
  const tone = on.createOscillator();
  const volume = on.createGain();
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(LOUDNESS, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + NOTE_SECONDS);
  tone.connect(volume).connect(on.destination);
  tone.start(at);
  tone.stop(at + NOTE_SECONDS);
}

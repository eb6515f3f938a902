/** What the page wishes to be told: the topics that are followed, and the sessions on the screen. */

import type { Wishes } from "../api/types.gen";

/** Up to which number a topic is known. */
export type Cursor = () => number;

const followed = new Map<string, Cursor>();
let screen: readonly string[] = [];
let isWaiting = false;
let changed: () => void = () => undefined;

/** Who is told, once per change of the screen, that the wishes are others now. */
export function onWishes(listener: () => void): void {
  changed = listener;
}

/** Follows a topic until the answer is called. */
export function follow(topic: string, cursor: Cursor): () => void {
  followed.set(topic, cursor);
  changeSoon();
  return () => {
    if (followed.get(topic) !== cursor) return;
    followed.delete(topic);
    changeSoon();
  };
}

/** Says which sessions this person sees. */
export function look(sessions: readonly string[]): void {
  screen = sessions;
  changeSoon();
}

/** The sessions that are on the screen now. */
export const onScreen = (): readonly string[] => screen;

/** A hidden page sees no session; what it follows, it follows still. */
export function wishes(): Required<Wishes> {
  return {
    look: document.visibilityState === "visible" ? screen : [],
    topics: Object.fromEntries([...followed].map(([topic, cursor]) => [topic, cursor()])),
  };
}

/** What one place leaves and the next one follows is said together. */
export function changeSoon(): void {
  if (isWaiting) return;
  isWaiting = true;
  queueMicrotask(() => {
    isWaiting = false;
    changed();
  });
}

/** Keeps the page's state equal to the hub's, from the first load on. */

import { connect } from "../api/connect";
import { onRefused } from "../api/request";
import { EventSocket, type Frame } from "../api/socket";
import { exchangeCode, takeCode, token } from "../api/token";
import type { AnyEvent } from "../api/types.gen";
import { loadConflicts, noteConflicts } from "./conflicts";
import { foldConversations, reloadConversations } from "./conversations";
import { noteDiffs, reloadDiffs } from "./diffs";
import { foldFleet, loadFleet } from "./fleet";
import { foldGlances, reloadGlances } from "./glances";
import { loadStatus, useHub } from "./hub";
import { atLeisure } from "./leisure";
import { tellNews } from "./notifications";
import { noteReviews, reloadReviews } from "./review";

/** Frames are taken together, once per screen refresh at most, and after what is being typed. */
const TAKE_EVERY_MS = 16;
const TAKE_AFTER_MS = 50;
/** A keeper that starts on a large change tells of thousands of files: those are taken in slices. */
const MOST_AT_ONCE = 250;
let waiting: Frame[] = [];
let screen: readonly string[] = [];

const socket = new EventSocket(connect, {
  frames: takeSoon,
  opened: (resumed) => void opened(resumed),
  changed: (connection) => useHub.setState({ connection }),
  refused: lock,
});

export async function startSync(): Promise<void> {
  const code = takeCode();
  if (code !== null) await exchangeCode(code).catch(() => undefined);
  onRefused(lock);
  if (token() === null) return lock();
  document.addEventListener("visibilitychange", tellScreen);
  document.addEventListener("visibilitychange", () => socket.hurry());
  window.addEventListener("online", () => socket.hurry());
  await socket.start();
}

/** Says which sessions this person sees; a hidden page sees none. */
export function look(sessions: readonly string[]): void {
  screen = sessions;
  tellScreen();
}

/** The sessions that are on the screen now. */
export const onScreen = (): readonly string[] => screen;

function tellScreen(): void {
  socket.look(document.visibilityState === "visible" ? screen : []);
}

function lock(): void {
  socket.stop();
  useHub.setState({ locked: true });
}

/** Files may have changed unwatched while away, so the diffs are loaded anew in any case. */
async function opened(resumed: boolean): Promise<void> {
  const loads = [loadStatus(), loadFleet(), loadConflicts(), reloadDiffs(), reloadReviews()];
  if (!resumed) loads.push(reloadConversations());
  reloadGlances();
  await Promise.allSettled(loads);
}

function takeSoon(frames: readonly Frame[]): void {
  if (waiting.length === 0) setTimeout(atLeisure, TAKE_EVERY_MS, take, TAKE_AFTER_MS);
  waiting.push(...frames);
}

function take(): void {
  const frames = waiting.slice(0, MOST_AT_ONCE);
  waiting = waiting.slice(MOST_AT_ONCE);
  if (waiting.length > 0) setTimeout(take);
  const events = frames.filter((frame): frame is AnyEvent => !("live" in frame));
  foldConversations(frames);
  foldGlances(frames);
  if (events.length === 0) return;
  foldFleet(events);
  noteDiffs(events);
  noteConflicts(events);
  noteReviews(events);
  tellNews(events);
}

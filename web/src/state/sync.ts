/** Keeps the page's state equal to the hub's, from the first load on. */

import { connect } from "../api/connect";
import { onRefused } from "../api/request";
import { EventSocket, type Frame } from "../api/socket";
import { exchangeCode, takeCode, token } from "../api/token";
import type { AnyEvent, Piece } from "../api/types.gen";
import { noteDiffs, reloadDiffs } from "./diff/diffs";
import { noteReviews, reloadReviews } from "./diff/review";
import { loadConflicts, noteConflicts } from "./fleet/conflicts";
import { fleetKnown, takeFleet } from "./fleet/fleet";
import { foldGlance, reloadHunks } from "./fleet/glances";
import { noteJobs, reloadJobs } from "./fleet/jobs";
import { loadTrains, noteTrains } from "./fleet/train";
import { loadStatus, useHub } from "./hub";
import { tellNews } from "./inbox/notifications";
import { atLeisure } from "./page/leisure";
import { foldConversation } from "./session/conversations";
import { foldMergings } from "./session/merging";
import { changeSoon, follow, onWishes, wishes } from "./topics";

/** Pieces are taken together, once per screen refresh at most, and after what is being typed. */
const TAKE_EVERY_MS = 16;
const TAKE_AFTER_MS = 50;
/** A keeper that starts on a large change tells of thousands of files: those are taken in slices. */
const MOST_AT_ONCE = 250;
/** Of a history, which is shown only at its end. */
const MOST_PAST = 1000;
let waiting: Piece[] = [];

const socket = new EventSocket(connect, wishes, {
  told: takeSoon,
  opened: () => void opened(),
  changed: (connection) => useHub.setState({ connection }),
  refused: lock,
});

follow("fleet", fleetKnown);

export async function startSync(): Promise<void> {
  const code = takeCode();
  if (code !== null) await exchangeCode(code).catch(() => undefined);
  onRefused(lock);
  if (token() === null) return lock();
  document.addEventListener("visibilitychange", changeSoon);
  document.addEventListener("visibilitychange", () => socket.hurry());
  window.addEventListener("online", () => socket.hurry());
  onWishes(() => socket.say());
  await socket.start();
}

function lock(): void {
  socket.stop();
  useHub.setState({ locked: true });
}

/** Files may have changed unwatched while away, so the diffs are loaded anew in any case. */
async function opened(): Promise<void> {
  const loads = [loadStatus(), loadConflicts(), loadTrains(), reloadDiffs(), reloadReviews()];
  loads.push(reloadJobs());
  reloadHunks();
  await Promise.allSettled(loads);
}

function takeSoon(pieces: readonly Piece[]): void {
  if (waiting.length === 0) setTimeout(atLeisure, TAKE_EVERY_MS, take, TAKE_AFTER_MS);
  waiting.push(...pieces.flatMap(slices));
}

function slices(piece: Piece): Piece[] {
  const frames = framesOf(piece);
  const most = piece.past ? MOST_PAST : MOST_AT_ONCE;
  if (frames.length <= most) return [piece];
  const rest = { ...piece, begins: false, frames: frames.slice(most) };
  return [{ ...piece, frames: frames.slice(0, most) }, ...slices(rest)];
}

function take(): void {
  let taken = 0;
  let count = 0;
  for (const { frames = [] } of waiting) {
    count += frames.length;
    if (taken > 0 && count > MOST_AT_ONCE) break;
    taken++;
  }
  const pieces = joined(waiting.slice(0, taken));
  waiting = waiting.slice(taken);
  if (waiting.length > 0) setTimeout(take);
  for (const piece of pieces) takePiece(piece);
}

/** Neighbours of one topic as one piece, so that a burst is folded once. */
function joined(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    const fits = last?.topic === piece.topic && last.past === piece.past && !piece.begins;
    if (!fits || piece.topic === "fleet") found.push(piece);
    else found[found.length - 1] = { ...last, frames: [...framesOf(last), ...framesOf(piece)] };
  }
  return found;
}

function takePiece(piece: Piece): void {
  const [kind, id = ""] = piece.topic.split("/");
  const events = framesOf(piece).filter((frame): frame is AnyEvent => !("live" in frame));
  if (kind === "fleet") {
    const news = takeFleet(piece, events);
    if (useHub.getState().problem !== (piece.problem ?? ""))
      useHub.setState({ problem: piece.problem ?? "" });
    noteConflicts(news);
    noteJobs(news);
    noteTrains(news);
    tellNews(news);
  } else if (kind === "glance") {
    foldGlance(id, framesOf(piece));
  } else {
    foldConversation(id, piece);
    foldMergings(id, events);
    if (piece.past) return;
    noteDiffs(framesOf(piece));
    noteReviews(events);
  }
}

const framesOf = ({ frames = [] }: Piece): readonly Frame[] => frames;

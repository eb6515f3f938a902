/** The sessions that are looked at side by side, each at a glance and kept up to date. */

import { create } from "zustand";
import { fetchDiff, fetchLast } from "../api/hub";
import type { Frame } from "../api/socket";
import { useFleet } from "./fleet";
import { foldGlance, type Glance, lastHunk, layGlance, NOTHING } from "./glance";
import { atLeisure } from "./leisure";

interface Seen extends Glance {
  readonly hunk: readonly string[];
  readonly hunkPath: string;
}

const LAST = 120;
const MOST_LINES = 40;
const HUNK_AFTER_MS = 250;
const FOLD_EVERY_MS = 100;
let gathered: Frame[] = [];

export const useGlances = create<{ readonly seen: Readonly<Record<string, Seen>> }>(() => ({
  seen: {},
}));

let watched: readonly string[] = [];
const waiting = new Map<string, ReturnType<typeof setTimeout>>();

/** Follows these sessions from now on, and forgets the others. */
export function watch(ids: readonly string[]): void {
  const fresh = ids.filter((id) => !watched.includes(id));
  watched = ids;
  useGlances.setState(({ seen }) => ({
    seen: Object.fromEntries(ids.map((id) => [id, seen[id] ?? EMPTY])),
  }));
  for (const id of fresh) void load(id);
}

/** After a connection that was away. */
export function reloadGlances(): void {
  for (const id of watched) void load(id);
}

const EMPTY: Seen = { ...NOTHING, hunk: [], hunkPath: "" };

async function load(id: string): Promise<void> {
  try {
    const events = await fetchLast(id, LAST);
    const worktree = worktreeOf(id);
    change(id, (before) => ({
      ...before,
      ...events.reduce((glance, event) => foldGlance(glance, event, worktree), before as Glance),
    }));
    await loadHunk(id);
  } catch {
    // The connection's return loads it again.
  }
}

/** Eyes that go over many tiles need no more than ten pictures a second. */
export function foldGlances(frames: readonly Frame[]): void {
  if (watched.length === 0) return;
  if (gathered.length === 0) setTimeout(atLeisure, FOLD_EVERY_MS, foldGathered, FOLD_EVERY_MS);
  gathered.push(...frames);
}

function foldGathered(): void {
  const frames = gathered;
  gathered = [];
  const { seen } = useGlances.getState();
  const next = { ...seen };
  for (const frame of frames) {
    const id = frame.session ?? "";
    const before = next[id];
    if (before !== undefined) next[id] = { ...before, ...take(before, frame, id) };
  }
  useGlances.setState({ seen: next });
}

function take(before: Glance, frame: Frame, id: string): Glance {
  if ("live" in frame) return frame.type === "text_delta" ? layGlance(before, frame) : before;
  if (frame.type === "diff_changed") hunkSoon(id);
  return foldGlance(before, frame, worktreeOf(id));
}

function hunkSoon(id: string): void {
  if (waiting.has(id)) return;
  waiting.set(
    id,
    setTimeout(() => {
      waiting.delete(id);
      void loadHunk(id).catch(() => undefined);
    }, HUNK_AFTER_MS),
  );
}

/** The newest change in the file that changed last. */
async function loadHunk(id: string): Promise<void> {
  const path = useGlances.getState().seen[id]?.files[0]?.path;
  if (path === undefined) return;
  const { patch } = await fetchDiff(id, path);
  change(id, (before) => ({ ...before, hunk: lastHunk(patch, MOST_LINES), hunkPath: path }));
}

function change(id: string, to: (before: Seen) => Seen): void {
  useGlances.setState(({ seen }) => {
    const before = seen[id];
    return before === undefined ? { seen } : { seen: { ...seen, [id]: to(before) } };
  });
}

const worktreeOf = (id: string): string => useFleet.getState().sessions[id]?.worktree ?? "";

/** The sessions that are looked at side by side, each at a glance and kept up to date. */

import { create } from "zustand";
import { fetchDiff } from "../../api/hub";
import type { Frame } from "../../api/socket";
import { atLeisure } from "../page/leisure";
import { follow } from "../topics";
import { useFleet } from "./fleet";
import { foldGlance as fold, type Glance, lastHunk, layGlance, NOTHING } from "./glance";

interface Seen extends Glance {
  readonly hunk: readonly string[];
  readonly hunkPath: string;
}

const MOST_LINES = 40;
const HUNK_AFTER_MS = 250;
const FOLD_EVERY_MS = 100;
const gathered = new Map<string, Frame[]>();

export const useGlances = create<{ readonly seen: Readonly<Record<string, Seen>> }>(() => ({
  seen: {},
}));

const watched = new Map<string, () => void>();
const waiting = new Map<string, ReturnType<typeof setTimeout>>();

/** Follows these sessions from now on, and forgets the others. */
export function watch(ids: readonly string[]): void {
  for (const [id, unfollow] of watched) {
    if (ids.includes(id)) continue;
    unfollow();
    watched.delete(id);
    gathered.delete(id);
  }
  useGlances.setState(({ seen }) => ({
    seen: Object.fromEntries(ids.map((id) => [id, seen[id] ?? EMPTY])),
  }));
  for (const id of ids) {
    if (!watched.has(id))
      watched.set(
        id,
        follow(`glance/${id}`, () => known(id)),
      );
  }
}

const known = (id: string): number => useGlances.getState().seen[id]?.seq ?? 0;

/** After a connection that was away. */
export function reloadHunks(): void {
  for (const id of watched.keys()) hunkSoon(id);
}

const EMPTY: Seen = { ...NOTHING, hunk: [], hunkPath: "" };

/** Eyes that go over many tiles need no more than ten pictures a second. */
export function foldGlance(id: string, frames: readonly Frame[]): void {
  if (gathered.size === 0) setTimeout(atLeisure, FOLD_EVERY_MS, foldGathered, FOLD_EVERY_MS);
  gathered.set(id, [...(gathered.get(id) ?? []), ...frames]);
}

function foldGathered(): void {
  const { seen } = useGlances.getState();
  const next = { ...seen };
  for (const [id, frames] of gathered) {
    const before = next[id];
    if (before === undefined) continue;
    const after = frames.reduce((glance, frame) => take(glance, frame, id), before as Glance);
    next[id] = { ...before, ...after };
  }
  gathered.clear();
  useGlances.setState({ seen: next });
}

function take(before: Glance, frame: Frame, id: string): Glance {
  if ("live" in frame) return frame.type === "text_delta" ? layGlance(before, frame) : before;
  if (frame.type === "diff_changed") hunkSoon(id);
  return fold(before, frame, worktreeOf(id));
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

/** The diffs of opened sessions: loaded whole once, then file by file as files change. */

import { create } from "zustand";
import type { Diff, DiffFile } from "../api/answers";
import { fetchDiff } from "../api/hub";
import type { AnyEvent } from "../api/types.gen";
import { type FilePatch, parsePatch } from "./patch";

export interface FileDiff {
  readonly file: DiffFile;
  readonly patch: FilePatch;
}

export interface SessionDiff {
  readonly files: readonly FileDiff[];
  readonly problem: string;
}

export const useDiffs = create<{ readonly open: Readonly<Record<string, SessionDiff>> }>(() => ({
  open: {},
}));

const FETCH_AFTER_MS = 120;
/** As many diffs stay in memory for a quick return; only the one on screen follows changes. */
const MOST_KEPT = 6;
let shown = "";
/** More changed files than this are fetched together. */
const MOST_SINGLE = 6;
const changed = new Map<string, Set<string>>();

/** Follows this session's files from now on. */
export function showDiff(id: string): void {
  shown = id;
  void loadDiff(id);
}

export async function loadDiff(id: string): Promise<void> {
  try {
    put(id, { files: fileDiffs(await fetchDiff(id)), problem: "" });
  } catch (error) {
    const files = useDiffs.getState().open[id]?.files ?? [];
    put(id, { files, problem: error instanceof Error ? error.message : "" });
  }
}

export async function reloadDiffs(): Promise<void> {
  if (shown in useDiffs.getState().open) await loadDiff(shown);
}

export function noteDiffs(events: readonly AnyEvent[]): void {
  for (const event of events) {
    if (event.type === "diff_changed" && event.session === shown) fetchSoon(shown, event.path);
  }
}

function fetchSoon(id: string, path: string): void {
  const paths = changed.get(id);
  if (paths !== undefined) {
    paths.add(path);
    return;
  }
  changed.set(id, new Set([path]));
  setTimeout(() => void fetchChanged(id), FETCH_AFTER_MS);
}

async function fetchChanged(id: string): Promise<void> {
  const paths = [...(changed.get(id) ?? [])];
  changed.delete(id);
  if (paths.length > MOST_SINGLE) return loadDiff(id);
  try {
    const parts = await Promise.all(paths.map((path) => fetchDiff(id, path)));
    const fresh = parts.flatMap(fileDiffs);
    const files = useDiffs.getState().open[id]?.files ?? [];
    put(id, { files: merged(files, fresh, new Set(paths)), problem: "" });
  } catch {
    // The socket's return loads the diff anew.
  }
}

/** The files with `paths` replaced by what was fetched for them; what is gone is left out. */
export function merged(
  files: readonly FileDiff[],
  fresh: readonly FileDiff[],
  paths: ReadonlySet<string>,
): FileDiff[] {
  const replaced = new Set([...paths, ...fresh.map(({ file }) => file.path)]);
  const kept = files.filter(({ file }) => !replaced.has(file.path));
  const shown = fresh.filter(({ file }) => file.status !== "unchanged");
  return [...kept, ...shown].sort((a, b) => (a.file.path < b.file.path ? -1 : 1));
}

export function fileDiffs(diff: Diff): FileDiff[] {
  const patches = new Map(parsePatch(diff.patch).map((patch) => [patch.path, patch]));
  return diff.files
    .map((file) => ({ file, patch: patches.get(file.path) ?? { path: file.path, hunks: [] } }))
    .sort((a, b) => (a.file.path < b.file.path ? -1 : 1));
}

function put(id: string, diff: SessionDiff): void {
  useDiffs.setState(({ open }) => {
    const { [id]: _, ...others } = open;
    const kept = Object.entries(others).slice(-(MOST_KEPT - 1));
    return { open: { ...Object.fromEntries(kept), [id]: diff } };
  });
}

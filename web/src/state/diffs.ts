/**
 * The diffs of opened sessions. The first files come with their patches, then the whole list, and
 * patches as they come into sight; single files follow as they change, and the list once a burst
 * of changes is over.
 */

import { create } from "zustand";
import { fetchFirst, fetchListing, fetchPatches, type Looking } from "../api/review";
import type { AnyEvent } from "../api/types.gen";
import {
  type FileDiff,
  fileDiffs,
  merged,
  openedFiles,
  relisted,
  withPatches,
  withViewed,
} from "./diffFiles";

export interface SessionDiff {
  readonly look: Looking;
  readonly files: readonly FileDiff[];
  /** Empty until the whole list is there. */
  readonly tree: string;
  /** How many files are still to be listed. */
  readonly more: number;
  readonly problem: string;
}

interface Diffs {
  readonly open: Readonly<Record<string, SessionDiff>>;
  /** What was chosen last, perhaps not loaded yet. */
  readonly chosen: Readonly<Record<string, Looking>>;
}

export const useDiffs = create<Diffs>(() => ({ open: {}, chosen: {} }));

export const BASE: Looking = { against: "base", ignoreSpace: false };
const FETCH_AFTER_MS = 80;
const LIST_AFTER_MS = 700;
/** As many diffs stay in memory for a quick return; only the one on screen follows changes. */
const MOST_KEPT = 6;
/** More changed files than this are listed anew at once. */
const MOST_SINGLE = 6;
const MOST_AT_ONCE = 40;
/** More than a screen shows. */
const FIRST_FILES = 40;
/** Up to so many changed lines a patch comes by itself. */
export const MOST_LINES = 4000;

let shown = "";
let listing: ReturnType<typeof setTimeout> | undefined;
const changed = new Map<string, Set<string>>();
/** By session, the files that are in sight without their patches. */
const wishes = new Map<string, readonly string[]>();

/** Follows this session's files from now on. */
export function showDiff(id: string): void {
  shown = id;
  void loadDiff(id);
}

/** Compares with something else, or in another way. */
export function setLook(id: string, look: Looking): void {
  useDiffs.setState(({ chosen }) => ({ chosen: { ...chosen, [id]: look } }));
  void loadDiff(id);
}

export async function loadDiff(id: string): Promise<void> {
  const look = chosenLook(id);
  // A slow answer must not bring back what was compared before.
  const isPast = () => !isSame(look, chosenLook(id));
  try {
    if (filesOf(id, look).length === 0) {
      const first = await fetchFirst(id, look, FIRST_FILES);
      if (isPast()) return;
      const { tree, more } = first;
      put(id, { look, tree, more, files: openedFiles(first), problem: "" });
      if (more === 0) return;
    }
    const { files, tree } = await fetchListing(id, look);
    if (isPast()) return;
    put(id, { look, tree, files: relisted(filesOf(id, look), files), more: 0, problem: "" });
  } catch (error) {
    if (isPast()) return;
    const problem = error instanceof Error ? error.message : "";
    put(id, { look, files: filesOf(id, look), tree: "", more: 0, problem });
  }
}

/** What is shown in this way already. */
function filesOf(id: string, look: Looking): readonly FileDiff[] {
  const known = useDiffs.getState().open[id];
  return known !== undefined && isSame(known.look, look) ? known.files : [];
}

export async function reloadDiffs(): Promise<void> {
  if (shown in useDiffs.getState().open) await loadDiff(shown);
}

export function noteDiffs(events: readonly AnyEvent[]): void {
  for (const event of events) {
    if (event.session !== shown) continue;
    if (event.type === "diff_changed") fetchSoon(shown, event.path);
    else if (event.type === "file_viewed" || event.type === "file_unviewed") listSoon(shown, 50);
    else if (event.type === "session_rewound") listSoon(shown);
  }
}

function fetchSoon(id: string, path: string): void {
  if (lookOf(id).against.startsWith("turn:")) return;
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
  listSoon(id);
  if (paths.length > MOST_SINGLE) return loadDiff(id);
  const look = lookOf(id);
  try {
    const fresh = fileDiffs(await fetchPatches(id, look, paths));
    change(id, look, (files) => merged(files, fresh, new Set(paths)));
  } catch {
    // The list that follows, or the socket's return, loads it anew.
  }
}

/** What was viewed, renamed or judged is told by the whole list only. */
function listSoon(id: string, after = LIST_AFTER_MS): void {
  clearTimeout(listing);
  listing = setTimeout(() => void loadDiff(id), after);
}

/**
 * Patches for these files, those on screen first. One answer is awaited at a time, and then only
 * the latest wish counts: what has left the sight meanwhile is not asked for.
 */
export function wantPatches(id: string, paths: readonly string[]): void {
  const isAwaited = wishes.has(id);
  wishes.set(id, paths);
  if (!isAwaited) void grantWishes(id);
}

async function grantWishes(id: string): Promise<void> {
  try {
    for (let paths = missing(id); paths.length > 0; paths = missing(id)) {
      await loadPatches(id, paths.slice(0, MOST_AT_ONCE));
    }
  } catch {
    // Asked for again when it next comes into sight.
  } finally {
    wishes.delete(id);
  }
}

function missing(id: string): string[] {
  const wished = new Set(wishes.get(id));
  const files = useDiffs.getState().open[id]?.files ?? [];
  return files
    .filter(({ file, loaded }) => wished.has(file.path) && !loaded)
    .map(({ file }) => file.path);
}

/** `whole`: however large they are. */
export async function loadPatches(
  id: string,
  paths: readonly string[],
  whole = false,
): Promise<void> {
  const look = lookOf(id);
  const files = useDiffs.getState().open[id]?.files ?? [];
  const both = paths.flatMap((path) => namesOf(files, path));
  const fresh = fileDiffs(await fetchPatches(id, look, both, whole));
  change(id, look, (now) => withPatches(now, fresh, new Set(paths)));
}

/** Shows a tick at once; the hub's list says whether it holds. */
export function markViewed(id: string, path: string, viewed: boolean): void {
  change(id, lookOf(id), (files) => withViewed(files, path, viewed));
}

function namesOf(files: readonly FileDiff[], path: string): string[] {
  const old = files.find(({ file }) => file.path === path)?.file.old_path;
  return old && old !== path ? [path, old] : [path];
}

function chosenLook(id: string): Looking {
  return useDiffs.getState().chosen[id] ?? BASE;
}

function lookOf(id: string): Looking {
  return useDiffs.getState().open[id]?.look ?? BASE;
}

function isSame(one: Looking, other: Looking): boolean {
  return one.against === other.against && one.ignoreSpace === other.ignoreSpace;
}

function change(
  id: string,
  look: Looking,
  to: (files: readonly FileDiff[]) => readonly FileDiff[],
): void {
  const diff = useDiffs.getState().open[id];
  if (diff !== undefined && isSame(diff.look, look)) put(id, { ...diff, files: to(diff.files) });
}

function put(id: string, diff: SessionDiff): void {
  useDiffs.setState(({ open }) => {
    const { [id]: _, ...others } = open;
    const kept = Object.entries(others).slice(-(MOST_KEPT - 1));
    return { open: { ...Object.fromEntries(kept), [id]: diff } };
  });
}

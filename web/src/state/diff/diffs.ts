/**
 * The diffs of opened sessions. The first files come with their patches, then the whole list, and
 * patches as they come into sight. From then on keepers show each change of the diff to the base;
 * an event follows that names it, and only what is not as told is asked for.
 */

import { create } from "zustand";
import {
  fetchFirst,
  fetchListing,
  fetchPatches,
  type Looking,
  type Opening,
} from "../../api/review";
import type { Frame } from "../../api/socket";
import type { DiffChanged, Patched } from "../../api/types.gen";
import {
  drawn,
  type FileDiff,
  fileDiffs,
  hasSameContents,
  isAsTold,
  laidOver,
  merged,
  openedFiles,
  pathCount,
  relisted,
  withPatches,
  withViewed,
} from "./diffFiles";

export interface SessionDiff {
  readonly look: Looking;
  readonly files: readonly FileDiff[];
  /** Of the files as they are shown; empty where only the whole list can tell. */
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
const NOTHING = { look: BASE, files: [], more: 1 };
/** After these, more may differ than keepers tell of: another base, say. */
const RELISTED = new Set(["session_rewound", "turn_finished", "update_applied", "update_aborted"]);
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
/** By session, what was told of each path lately. */
const told = new Map<string, Map<string, DiffChanged>>();
/** The number of the last frame of the session that is shown. */
let last: number | undefined;
/** For every answer that is awaited, what came meanwhile: it may be newer, and goes over it. */
const meanwhile = new Set<FileDiff[]>();
/** By session, the files that are in sight without their patches. */
const wishes = new Map<string, readonly string[]>();

/** Follows this session's files from now on. */
export function showDiff(id: string): void {
  shown = id;
  last = undefined;
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
      const [first, newer] = await answerTo(id, look, fetchFirst(id, look, FIRST_FILES));
      if (isPast()) return;
      putListed(id, look, openedFiles(first), newer, first);
      if (first.more === 0) return;
    }
    const [listed, newer] = await answerTo(id, look, fetchListing(id, look));
    if (isPast()) return;
    putListed(id, look, relisted(filesOf(id, look), listed.files), newer, listed);
  } catch (error) {
    if (isPast()) return;
    const problem = error instanceof Error ? error.message : "";
    put(id, { look, files: filesOf(id, look), tree: "", more: 0, problem });
  }
}

function putListed(
  id: string,
  look: Looking,
  listed: readonly FileDiff[],
  newer: readonly FileDiff[],
  { tree, more }: Opening,
): void {
  const files = laidOver(listed, newer);
  put(id, { look, files, tree: hasSameContents(listed, files) ? tree : "", more, problem: "" });
}

/** What is answered, and what keepers showed since it was asked. */
async function answerTo<T>(
  id: string,
  look: Looking,
  asked: Promise<T>,
): Promise<[T, readonly FileDiff[]]> {
  const came: FileDiff[] = [];
  if (id === shown && isSame(look, BASE)) meanwhile.add(came);
  try {
    return [await asked, came];
  } finally {
    meanwhile.delete(came);
  }
}

/** The tree of what is on the screen; what changed unseen is shown first, and then refused. */
export async function treeSeen(id: string): Promise<string> {
  const known = useDiffs.getState().open[id];
  if (known === undefined || known.tree !== "") return known?.tree ?? "";
  await loadDiff(id);
  const now = useDiffs.getState().open[id];
  if (now === undefined || now.tree === "" || !hasSameContents(known.files, now.files)) {
    throw new Error("The files changed while you looked at them");
  }
  return now.tree;
}

/** What is shown in this way already. */
function filesOf(id: string, look: Looking): readonly FileDiff[] {
  const known = useDiffs.getState().open[id];
  return known !== undefined && isSame(known.look, look) ? known.files : [];
}

export async function reloadDiffs(): Promise<void> {
  last = undefined;
  if (shown in useDiffs.getState().open) await loadDiff(shown);
}

export function noteDiffs(frames: readonly Frame[]): void {
  const mine = frames.filter(({ session }) => session === shown);
  takePatches(mine.filter((frame): frame is Patched => frame.type === "patched"));
  for (const event of mine) {
    // What is shown after it was told of is newer, and its own event follows.
    if (event.type === "patched") told.get(shown)?.delete(event.file.path);
    else if (event.type === "diff_changed") checkSoon(shown, event);
    else if (event.type === "file_viewed" || event.type === "file_unviewed") listSoon(shown, 50);
    else if (RELISTED.has(event.type)) listSoon(shown);
  }
}

/** Each shows a file whole, so the newest counts; one that was missed is found by the list. */
function takePatches(frames: readonly Patched[]): void {
  if (frames.length === 0) return;
  const fresh = frames.map(drawn);
  for (const came of meanwhile) came.push(...fresh);
  change(shown, BASE, (files) => laidOver(files, fresh));
  for (const { number } of frames) {
    if (last !== undefined && number !== last + 1) listSoon(shown);
    last = number;
  }
  // What was moved may be cut too, and that the list tells.
  if (frames.some(({ cut }) => cut)) listSoon(shown);
}

function checkSoon(id: string, event: DiffChanged): void {
  if (lookOf(id).against.startsWith("turn:")) return;
  const events = told.get(id) ?? new Map<string, DiffChanged>();
  events.set(event.path, event);
  if (told.has(id)) return;
  told.set(id, events);
  setTimeout(() => void check(id), FETCH_AFTER_MS);
}

/** Asks for what is not as it was told. */
async function check(id: string): Promise<void> {
  const events = [...(told.get(id)?.values() ?? [])];
  told.delete(id);
  const { look, files, more } = useDiffs.getState().open[id] ?? NOTHING;
  const isShown = (event: DiffChanged) => isSame(look, BASE) && isAsTold(files, event);
  const paths = events.filter((event) => !isShown(event)).map(({ path }) => path);
  if (events.length === 0) return;
  if (paths.length === 0) {
    if (more === 0 && pathCount(files) !== (events.at(-1)?.total_files ?? 0)) listSoon(id);
    return;
  }
  listSoon(id);
  if (paths.length > MOST_SINGLE) return loadDiff(id);
  try {
    const [diff, newer] = await answerTo(id, look, fetchPatches(id, look, paths));
    const fresh = fileDiffs(diff);
    change(id, look, (now) => laidOver(merged(now, fresh, new Set(paths)), newer));
  } catch {
    // The list that follows, or the socket's return, loads it anew.
  }
}

/** What was viewed, moved or judged is told by the whole list only. */
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
  const [diff, newer] = await answerTo(id, look, fetchPatches(id, look, both, whole));
  const fresh = fileDiffs(diff);
  change(id, look, (now) => laidOver(withPatches(now, fresh, new Set(paths)), newer));
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
  if (diff === undefined || !isSame(diff.look, look)) return;
  const files = to(diff.files);
  const tree = hasSameContents(diff.files, files) ? diff.tree : "";
  put(id, { ...diff, files, tree });
}

function put(id: string, diff: SessionDiff): void {
  useDiffs.setState(({ open }) => {
    const { [id]: _, ...others } = open;
    const kept = Object.entries(others).slice(-(MOST_KEPT - 1));
    return { open: { ...Object.fromEntries(kept), [id]: diff } };
  });
}

/**
 * The diffs of opened sessions. The list of files comes first, patches as they come into sight;
 * then single files follow as they change, and the list once a burst of changes is over.
 */

import { create } from "zustand";
import type { Diff, DiffFile } from "../api/answers";
import { fetchListing, fetchPatches, type Looking } from "../api/review";
import type { AnyEvent } from "../api/types.gen";
import { type FilePatch, parsePatch } from "./patch";

export interface FileDiff {
  readonly file: DiffFile;
  readonly patch: FilePatch;
  /** Whether the patch is that of the file as listed; until then an older one may show. */
  readonly loaded: boolean;
}

export interface SessionDiff {
  readonly look: Looking;
  readonly files: readonly FileDiff[];
  readonly tree: string;
  readonly problem: string;
}

export const useDiffs = create<{ readonly open: Readonly<Record<string, SessionDiff>> }>(() => ({
  open: {},
}));

export const BASE: Looking = { against: "base", ignoreSpace: false };
const FETCH_AFTER_MS = 80;
const LIST_AFTER_MS = 700;
/** As many diffs stay in memory for a quick return; only the one on screen follows changes. */
const MOST_KEPT = 6;
/** More changed files than this are listed anew at once. */
const MOST_SINGLE = 6;
const MOST_AT_ONCE = 40;
/** Up to so many changed lines a patch comes by itself. */
export const MOST_LINES = 4000;

let shown = "";
let listing: ReturnType<typeof setTimeout> | undefined;
const changed = new Map<string, Set<string>>();
const asked = new Set<string>();
/** What was chosen last, perhaps not loaded yet. */
const wanted = new Map<string, Looking>();

/** Follows this session's files from now on. */
export function showDiff(id: string): void {
  shown = id;
  void loadDiff(id);
}

/** Compares with something else, or in another way. */
export function setLook(id: string, look: Looking): void {
  wanted.set(id, look);
  void loadDiff(id);
}

export async function loadDiff(id: string): Promise<void> {
  const look = wantedLook(id);
  // A slow answer must not bring back what was compared before.
  const isPast = () => !isSame(look, wantedLook(id));
  try {
    const { files, tree } = await fetchListing(id, look);
    if (isPast()) return;
    const before = useDiffs.getState().open[id];
    const known = before !== undefined && isSame(before.look, look) ? before.files : [];
    put(id, { look, tree, files: relisted(known, files), problem: "" });
  } catch (error) {
    if (isPast()) return;
    const problem = error instanceof Error ? error.message : "";
    const files = useDiffs.getState().open[id]?.files ?? [];
    put(id, { look, files, tree: "", problem });
  }
}

export async function reloadDiffs(): Promise<void> {
  if (shown in useDiffs.getState().open) await loadDiff(shown);
}

/** Files in the hub's order; what did not change stays the same object. */
export function relisted(known: readonly FileDiff[], files: readonly DiffFile[]): FileDiff[] {
  const before = new Map(known.map((diff) => [diff.file.path, diff]));
  return files
    .map((file) => {
      const old = before.get(file.path);
      if (old === undefined) return { file, patch: { path: file.path, hunks: [] }, loaded: false };
      if (JSON.stringify(old.file) === JSON.stringify(file)) return old;
      return { file, patch: old.patch, loaded: old.loaded && hasContentOf(old.file, file) };
    })
    .sort(byPath);
}

function hasContentOf(one: DiffFile, other: DiffFile): boolean {
  return (
    one.new_blob === other.new_blob &&
    one.old_blob === other.old_blob &&
    one.old_path === other.old_path
  );
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

/** Patches for these files, those on screen first. */
export async function wantPatches(
  id: string,
  paths: readonly string[],
  whole = false,
): Promise<void> {
  const look = lookOf(id);
  const name = (path: string) => `${id} ${look.against} ${look.ignoreSpace} ${whole} ${path}`;
  const wanted = paths.filter((path) => !asked.has(name(path))).slice(0, MOST_AT_ONCE);
  if (wanted.length === 0) return;
  for (const path of wanted) asked.add(name(path));
  try {
    const files = useDiffs.getState().open[id]?.files ?? [];
    const both = wanted.flatMap((path) => namesOf(files, path));
    const fresh = fileDiffs(await fetchPatches(id, look, both, whole));
    change(id, look, (now) => withPatches(now, fresh, new Set(wanted)));
  } catch {
    // Asked for again when it next comes into sight.
  } finally {
    for (const path of wanted) asked.delete(name(path));
  }
}

function namesOf(files: readonly FileDiff[], path: string): string[] {
  const old = files.find(({ file }) => file.path === path)?.file.old_path;
  return old && old !== path ? [path, old] : [path];
}

/** The listed files with the patches that came for them. */
export function withPatches(
  files: readonly FileDiff[],
  fresh: readonly FileDiff[],
  asked: ReadonlySet<string>,
): FileDiff[] {
  const came = new Map(fresh.map((diff) => [diff.file.path, diff]));
  return files.map((diff) => {
    const found = came.get(diff.file.path);
    if (found === undefined) return asked.has(diff.file.path) ? { ...diff, loaded: true } : diff;
    return { file: { ...diff.file, ...found.file }, patch: found.patch, loaded: true };
  });
}

/** The files with `paths` replaced by what was fetched for them; what is gone is left out. */
export function merged(
  files: readonly FileDiff[],
  fresh: readonly FileDiff[],
  paths: ReadonlySet<string>,
): FileDiff[] {
  const replaced = new Set([...paths, ...fresh.map(({ file }) => file.path)]);
  const before = new Map(files.map((diff) => [diff.file.path, diff.file]));
  const kept = files.filter(({ file }) => !replaced.has(file.path));
  const shown = fresh
    .filter(({ file }) => file.status !== "unchanged")
    .map((diff) => ({ ...diff, file: marked(before.get(diff.file.path), diff.file) }));
  return [...kept, ...shown].sort(byPath);
}

/** A tick is for a content: another one unticks it at once. */
function marked(before: DiffFile | undefined, now: DiffFile): DiffFile {
  const { viewed = "no", generated = false } = before ?? {};
  const changed = viewed === "yes" && before?.new_blob !== now.new_blob;
  return { ...now, generated, viewed: changed ? "changed" : viewed };
}

export function fileDiffs(diff: Diff): FileDiff[] {
  const patches = new Map(parsePatch(diff.patch).map((patch) => [patch.path, patch]));
  return diff.files
    .map((file) => ({
      file,
      patch: patches.get(file.path) ?? { path: file.path, hunks: [] },
      loaded: true,
    }))
    .sort(byPath);
}

const byPath = (a: FileDiff, b: FileDiff): number => (a.file.path < b.file.path ? -1 : 1);

function wantedLook(id: string): Looking {
  return wanted.get(id) ?? BASE;
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

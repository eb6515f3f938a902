/** The files of a diff, and what becomes of them as lists, patches and changes come in; pure. */

import type { Diff, DiffFile } from "../../api/answers";
import type { DiffChanged, Patched } from "../../api/types.gen";
import { type FilePatch, parsePatch } from "./patch";

export interface FileDiff {
  readonly file: DiffFile;
  readonly patch: FilePatch;
  /** Whether the patch is that of the file as listed; until then an older one may show. */
  readonly loaded: boolean;
}

/** Files in the hub's order; what did not change stays the same object. */
export function relisted(known: readonly FileDiff[], files: readonly DiffFile[]): FileDiff[] {
  const before = new Map(known.map((diff) => [diff.file.path, diff]));
  return inOrder(
    files.map((file) => {
      const old = before.get(file.path);
      if (old === undefined) return { file, patch: noPatch(file), loaded: false };
      const loaded = old.loaded && hasContentOf(old.file, file);
      // That a patch is too large is found out only when it is made.
      const now = loaded && old.file.omitted ? { ...file, omitted: true } : file;
      return isSameFile(old.file, now) ? old : { file: now, patch: old.patch, loaded };
    }),
  );
}

/** By path; the hub's order is nearly always that already. */
function inOrder(files: FileDiff[]): FileDiff[] {
  const isSorted = files.every((diff, n) => n === 0 || byPath(files[n - 1] ?? diff, diff) <= 0);
  return isSorted ? files : files.sort(byPath);
}

function isSameFile(one: DiffFile, other: DiffFile): boolean {
  const names = Object.keys(other) as (keyof DiffFile)[];
  return names.length === Object.keys(one).length && names.every((n) => one[n] === other[n]);
}

function hasContentOf(one: DiffFile, other: DiffFile): boolean {
  return (
    one.new_blob === other.new_blob &&
    one.old_blob === other.old_blob &&
    one.old_path === other.old_path
  );
}

/** Whether both have the same files with the same contents. */
export function hasSameContents(some: readonly FileDiff[], others: readonly FileDiff[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ file }, n) => {
      const other = others[n]?.file;
      return (
        other?.path === file.path && other.new_mode === file.new_mode && hasContentOf(other, file)
      );
    })
  );
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
    const file = marked(diff.file, { ...diff.file, ...found.file });
    return { file, patch: found.patch, loaded: true };
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

/** A file as a keeper drew it; a patch that was cut is still to be asked for. */
export function drawn({ file, patch, cut, generated }: Patched): FileDiff {
  const [found] = parsePatch(patch);
  return { file: { ...file, generated }, patch: found ?? noPatch(file), loaded: !cut };
}

/** The files with others laid over them, of each path the newest. */
export function laidOver(
  files: readonly FileDiff[],
  fresh: readonly FileDiff[],
): readonly FileDiff[] {
  if (fresh.length === 0) return files;
  const newest = new Map(fresh.map((diff) => [diff.file.path, diff]));
  return merged(files, [...newest.values()], new Set(newest.keys()));
}

/** Whether the files have this path with the content that was told of. */
export function isAsTold(files: readonly FileDiff[], told: DiffChanged): boolean {
  const { path, status = "modified", oid = "", mode = "" } = told;
  const found = files.find(({ file }) => file.path === path)?.file;
  if (status === "unchanged") return found === undefined;
  if (status === "deleted" && found === undefined) {
    return files.some(({ file }) => file.old_path === path);
  }
  return (found?.new_blob ?? "") === oid && (found?.new_mode ?? "") === mode;
}

/** How many paths differ: a moved file is two. */
export const pathCount = (files: readonly FileDiff[]): number =>
  files.length + files.filter(({ file }) => file.status === "renamed").length;

/** A tick is for a content: another one unticks it at once. */
function marked(before: DiffFile | undefined, now: DiffFile): DiffFile {
  const { viewed = "no", generated = false } = before ?? {};
  const changed = viewed === "yes" && before?.new_blob !== now.new_blob;
  return { generated, ...now, viewed: changed ? "changed" : viewed };
}

/** The files with one of them ticked or not. */
export function withViewed(
  files: readonly FileDiff[],
  path: string,
  viewed: boolean,
): readonly FileDiff[] {
  return files.map((diff) =>
    diff.file.path === path
      ? { ...diff, file: { ...diff.file, viewed: viewed ? "yes" : "no" } }
      : diff,
  );
}

/** Files that came with their patches; one whose patch was left out is still to be asked for. */
export function openedFiles(diff: Diff): FileDiff[] {
  const patches = byName(diff.patch);
  return diff.files
    .map((file) => {
      const patch = patches.get(file.path);
      return { file, patch: patch ?? noPatch(file), loaded: patch !== undefined };
    })
    .sort(byPath);
}

export function fileDiffs(diff: Diff): FileDiff[] {
  return openedFiles(diff).map((one) => ({ ...one, loaded: true }));
}

function byName(patch: string): ReadonlyMap<string, FilePatch> {
  return new Map(parsePatch(patch).map((one) => [one.path, one]));
}

function noPatch({ path }: DiffFile): FilePatch {
  return { path, hunks: [] };
}

const byPath = (a: FileDiff, b: FileDiff): number =>
  a.file.path < b.file.path ? -1 : a.file.path === b.file.path ? 0 : 1;

/** The actions of one diff, as one stable object. */

import { useMemo, useRef } from "react";
import { openInEditor } from "../../api/hub";
import {
  applySuggestion,
  discardComment,
  fetchContents,
  fetchPatches,
  reopenComment,
  resolveComment,
  revert,
  setViewed,
} from "../../api/review";
import type { CommentView } from "../../api/types.gen";
import { type FileDiff, fileDiffs } from "../../state/diff/diffFiles";
import { loadDiff, loadPatches, markViewed, type SessionDiff } from "../../state/diff/diffs";
import { editDraft, freshComment, loadReview, putComment } from "../../state/diff/review";
import { useFleet } from "../../state/fleet/fleet";
import { copyText } from "../../state/page/clipboard";
import { attempt, notify } from "../../state/page/notices";
import type { DiffActions, Place } from "./actions";
import { type Gap, STEP, splitText } from "./rows/context";
import { textBetween } from "./rows/range";
import type { Group } from "./rows/rows";
import { type Marks, put, without } from "./useMarks";

export function useDiffActions(session: string, diff: SessionDiff, marks: Marks): DiffActions {
  const now = useRef({ diff, marks });
  now.current = { diff, marks };
  const { against } = diff.look;
  return useMemo(() => {
    const state = () => now.current;
    const fold = (path: string) => {
      const file = state().diff.files.find((one) => one.file.path === path)?.file;
      state().marks.setFolded((before) =>
        put(before, path, !(before.get(path) ?? file?.viewed === "yes")),
      );
    };
    return {
      session,
      against,
      isNow: !against.startsWith("turn:"),
      fold,
      force: (path) => {
        state().marks.setForced((before) => new Set([...before, path]));
        const known = state().diff.files.find((one) => one.file.path === path);
        void attempt(() => loadPatches(session, [path], known?.file.omitted ?? false));
      },
      expand: (file, gap, from) => void expand(session, against, state().marks, file, gap, from),
      view: (file) => void view(session, file, state().marks),
      since: (path) => void showSince(session, path, state().marks),
      comment: (from, to) => begin(session, state().diff, from, to),
      commentFile: (path) => beginAt(session, path),
      open: (path) => void attempt(() => openInEditor(session, path)),
      copy: (path) =>
        copyText(`${useFleet.getState().sessions[session]?.worktree}/${path}`, "Path"),
      revert: (file, group) => void putBack(session, against, file, group),
      pick: (place, began) => pick(state().marks, place, began),
      act: (comment, what) => void act(session, comment, what),
    };
  }, [session, against]);
}

async function expand(
  session: string,
  against: string,
  marks: Marks,
  { file }: FileDiff,
  gap: Gap,
  from: "top" | "bottom" | "all",
): Promise<void> {
  let known = marks.expansions.get(file.path);
  if (known === undefined) {
    const old = file.old_path ?? file.path;
    const asked = () => fetchContents(session, old, "old", against);
    const found: { text: string | null } = { text: null };
    if (!(await attempt(async () => Object.assign(found, await asked())))) return;
    known = { lines: splitText(found.text ?? ""), shown: {} };
  }
  const { top = 0, bottom = 0 } = known.shown[gap.oldStart] ?? {};
  const by = from === "all" ? known.lines.length : STEP;
  const more = from === "bottom" ? { top, bottom: bottom + by } : { top: top + by, bottom };
  const shown = { ...known.shown, [gap.oldStart]: more };
  marks.setExpansions((before) => put(before, file.path, { lines: known.lines, shown }));
}

async function view(session: string, { file }: FileDiff, marks: Marks): Promise<void> {
  const { path, new_blob = "", viewed } = file;
  const ticked = viewed !== "yes";
  markViewed(session, path, ticked);
  const done = await attempt(() => setViewed(session, path, new_blob, ticked));
  if (done) {
    // Ticked it is folded, and open again once its content changes.
    marks.setFolded((before) => without(before, path));
    marks.setSince((before) => without(before, path));
  }
  await loadDiff(session);
}

async function showSince(session: string, path: string, marks: Marks): Promise<void> {
  if (marks.since.has(path)) {
    marks.setSince((before) => without(before, path));
    return;
  }
  await attempt(async () => {
    const look = { against: "viewed", ignoreSpace: false };
    const [found] = fileDiffs(await fetchPatches(session, look, [path]));
    if (found !== undefined) marks.setSince((before) => put(before, path, found));
  });
}

function begin(session: string, diff: SessionDiff, from: Place, to: Place): void {
  const [start, end] = [Math.min(from.line, to.line), Math.max(from.line, to.line)];
  const { path, side } = from;
  const file = diff.files.find((one) => one.file.path === path);
  const old = side === "old" ? (file?.file.old_path ?? path) : path;
  const lines = textBetween(file, side, start, end);
  const id = freshComment();
  editDraft(session, { id, path: old, side, start, end, lines, text: "", suggestion: null });
}

export function beginAt(session: string, path: string): void {
  const whole = { start: 0, end: 0, lines: [], text: "", suggestion: null };
  editDraft(session, { id: freshComment(), path, side: "new", ...whole });
}

async function putBack(
  session: string,
  against: string,
  { file }: FileDiff,
  hunk: Group | null,
): Promise<void> {
  const { path, old_path, new_blob = "" } = file;
  await attempt(async () => {
    const body = { path, old_path: old_path ?? "", blob: new_blob, against, hunk };
    const { checkpoint } = await revert(session, body);
    notify(`Reverted in ${path}`, `Checkpoint ${checkpoint} holds what was there.`);
  });
  await loadDiff(session);
}

function pick(marks: Marks, place: Place, began: boolean): void {
  if (began) {
    marks.setRange(() => ({ from: place, to: place }));
    return;
  }
  marks.setRange((range) =>
    range !== null && range.from.path === place.path && range.from.side === place.side
      ? { ...range, to: place }
      : range,
  );
}

const ACTS = {
  resolve: resolveComment,
  reopen: reopenComment,
  apply: applySuggestion,
} as const;

async function act(
  session: string,
  comment: CommentView,
  what: "resolve" | "reopen" | "discard" | "apply",
): Promise<void> {
  await attempt(async () => {
    if (what === "discard") await discardComment(session, comment.id);
    else putComment(session, await ACTS[what](session, comment.id));
  });
  await loadReview(session);
  if (what === "apply") await loadDiff(session);
}

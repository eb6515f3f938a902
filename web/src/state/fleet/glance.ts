/**
 * A session at a glance: its last words, what it does right now, the files it changes.
 *
 * Folded from the end of the log and from what streams in; light enough for sixteen at once.
 */

import type { AnyEvent, TextDelta, ToolCalled } from "../../api/types.gen";
import { subject } from "../session/tool";

export interface ChangedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

export interface Glance {
  readonly seq: number;
  /** The last words of the agent, or the end of those on their way. */
  readonly words: string;
  readonly message: string;
  readonly points: number;
  readonly tool: { readonly call: string; readonly name: string; readonly on: string } | null;
  /** The latest first. */
  readonly files: readonly ChangedFile[];
}

export const NOTHING: Glance = {
  seq: 0,
  words: "",
  message: "",
  points: 0,
  tool: null,
  files: [],
};

const MOST_FILES = 6;
const MOST_WORDS = 500;

export function foldGlance(before: Glance, event: AnyEvent, worktree: string): Glance {
  if (event.seq <= before.seq) return before;
  return { ...before, ...changeOf(before, event, worktree), seq: event.seq };
}

function changeOf(before: Glance, event: AnyEvent, worktree: string): Partial<Glance> {
  switch (event.type) {
    case "agent_message":
      return event.parent ? {} : { words: event.text.slice(-MOST_WORDS), message: "", points: 0 };
    case "tool_called":
      return { tool: toolOf(event, worktree) };
    case "tool_finished":
      return event.call === before.tool?.call ? { tool: null } : {};
    case "turn_finished":
    case "agent_exited":
      return { tool: null, message: "", points: 0 };
    case "diff_changed": {
      const others = before.files.filter(({ path }) => path !== event.path);
      if (event.status === "unchanged") return { files: others };
      const { path, added = 0, removed = 0 } = event;
      return { files: [{ path, added, removed }, ...others].slice(0, MOST_FILES) };
    }
    default:
      return {};
  }
}

function toolOf({ call, tool, input }: ToolCalled, worktree: string): Glance["tool"] {
  return { call, name: tool, on: subject(input ?? {}, worktree) };
}

/** The words with a live frame laid on them; thinking and sub-agents are left out. */
export function layGlance(before: Glance, frame: TextDelta): Glance {
  if (frame.thinking || frame.parent !== "") return before;
  const known = frame.message === before.message ? before.points : 0;
  if (frame.offset > known) return before;
  // Frames that overlap what is known come only after a reconnect, from the start of the message.
  const kept = frame.offset === known && known > 0 ? before.words : "";
  const words = (kept + frame.text).slice(-MOST_WORDS);
  return { ...before, message: frame.message, words, points: frame.offset + length(frame.text) };
}

/** In code points, as the hub counts. */
function length(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The last hunk of a patch, as its lines; a long one from its first change on. */
export function lastHunk(patch: string, most: number): string[] {
  const start = patch.lastIndexOf("\n@@ ");
  if (start < 0) return [];
  const lines = patch
    .slice(start + 1)
    .replace(/\n$/, "")
    .split("\n")
    .slice(1);
  const first = Math.max(0, lines.findIndex((line) => /^[+-]/.test(line)) - 1);
  return lines.slice(first, first + most);
}

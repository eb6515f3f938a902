/** Events as lines: when, what kind, and the gist. */

import type { AnyEvent } from "../../api/types.gen";
import { visibleBidi } from "../../state/session/plain";
import { subject } from "../../state/session/tool";

export interface LogLine {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly gist: string;
  readonly event: AnyEvent;
}

const ENVELOPE = new Set(["type", "seq", "session", "at", "conversation", "turn"]);
const LONGEST = 240;

export function lineOf(event: AnyEvent): LogLine {
  const { seq, at, type } = event;
  return { seq, at, type, gist: visibleBidi(clipped(gistOf(event))), event };
}

/** Every word must occur, in the kind or the gist; `-word` must not. */
export function fits(line: LogLine, query: string): boolean {
  const text = `${line.seq} ${line.type} ${line.gist}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "-")
    .every((word) => (word.startsWith("-") ? !text.includes(word.slice(1)) : text.includes(word)));
}

function gistOf(event: AnyEvent): string {
  switch (event.type) {
    case "user_message":
    case "message_typed":
    case "agent_message":
    case "agent_thought":
    case "note_made":
      return event.text;
    case "tool_called":
      return `${event.tool} ${subject(event.input ?? {}, "")}`;
    case "tool_finished":
      return `${event.tool}${event.is_error ? " failed" : ""}: ${event.output ?? ""}`;
    case "diff_changed":
      return `${event.path} ${event.status} +${event.added ?? 0} −${event.removed ?? 0}`;
    case "plan_proposed":
    case "permission_requested":
    case "question_asked":
    case "attention_raised":
      return event.item.summary;
    default:
      return restOf(event);
  }
}

function restOf(event: AnyEvent): string {
  const rest = Object.entries(event).filter(([name]) => !ENVELOPE.has(name));
  return rest.map(([name, value]) => `${name}=${short(value)}`).join(" ");
}

function short(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function clipped(text: string): string {
  const line = text
    .slice(0, LONGEST * 2)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

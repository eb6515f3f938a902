/** What happened in a stretch of a session's events, in as few words as tell a person all. */

import type { AnyEvent, Attention, FileStatus } from "../../api/types.gen";
import { answerText, itemWord, ownSummary, planText } from "../inbox/attention";
import { type Check, checkNamed, checkOf } from "./checks";
import { type Todo, todosOf } from "./todos";
import { text, toolKind } from "./tool";

export interface Decision {
  readonly what: string;
  readonly answer: string;
}

export interface ChangedFile {
  readonly path: string;
  readonly status: FileStatus;
  readonly added: number;
  readonly removed: number;
}

export interface CatchUp {
  readonly said: readonly string[];
  readonly decisions: readonly Decision[];
  readonly planSteps: number | null;
  readonly todos: readonly Todo[];
  readonly files: readonly ChangedFile[];
  readonly checks: readonly Check[];
  readonly reads: number;
  readonly commands: number;
  readonly turns: number;
  readonly trouble: readonly string[];
  readonly usd: number;
  /** What the agent said last. */
  readonly words: string;
}

interface Draft {
  said: string[];
  decisions: Decision[];
  planSteps: number | null;
  todos: readonly Todo[];
  files: Map<string, ChangedFile>;
  /** The last run of each check. */
  runs: Map<string, () => Check | null>;
  read: Set<string>;
  commands: number;
  turns: number;
  trouble: string[];
  usd: number;
  words: string;
  asked: Map<string, Attention>;
  calls: Map<string, string>;
}

/** The stretch after `from` up to `upto`; what came before is looked at for what it explains. */
export function catchUp(events: readonly AnyEvent[], from: number, upto = Infinity): CatchUp {
  const draft: Draft = {
    said: [],
    decisions: [],
    planSteps: null,
    todos: [],
    files: new Map(),
    runs: new Map(),
    read: new Set(),
    commands: 0,
    turns: 0,
    trouble: [],
    usd: 0,
    words: "",
    asked: new Map(),
    calls: new Map(),
  };
  for (const event of events) {
    if (event.seq > upto) break;
    remember(draft, event);
    if (event.seq > from) take(draft, event);
  }
  const { files, runs, read, asked: _, calls: __, ...rest } = draft;
  const checks = [...runs.values()].map((run) => run()).filter((check) => check !== null);
  return { ...rest, files: [...files.values()], checks, reads: read.size };
}

/** Whether there is anything that a person would miss. */
export function isWorth(card: CatchUp): boolean {
  return (
    card.turns > 0 ||
    card.files.length > 0 ||
    card.decisions.length > 0 ||
    card.checks.length > 0 ||
    card.trouble.length > 0 ||
    card.planSteps !== null
  );
}

/** An answer and a command's end refer to what was asked and called, perhaps long before. */
function remember(draft: Draft, event: AnyEvent): void {
  switch (event.type) {
    case "plan_proposed":
    case "permission_requested":
    case "question_asked":
    case "attention_raised":
      draft.asked.set(event.item.id, event.item);
      return;
    case "tool_called": {
      const command = text(event.input ?? {}, "command");
      if (command !== null) draft.calls.set(event.call, command);
      return;
    }
  }
}

function take(draft: Draft, event: AnyEvent): void {
  draft.todos = todosOf(event) ?? draft.todos;
  switch (event.type) {
    case "user_message":
      if ((event.by ?? "human") === "human") draft.said.push(event.text);
      return;
    case "message_typed":
      draft.said.push(event.text);
      return;
    case "agent_message":
      if (!event.parent) draft.words = event.text;
      return;
    case "plan_proposed":
      draft.planSteps = stepsOf(planText(event.item));
      return;
    case "attention_resolved":
      return decided(draft, event);
    case "tool_called":
      return called(draft, event);
    case "tool_finished":
      return finished(draft, event);
    case "diff_changed":
      return changed(draft, event);
    case "turn_finished":
      draft.turns += 1;
      if (event.outcome === "failed") draft.trouble.push(event.error || "a turn failed");
      return;
    case "session_failed":
      draft.trouble.push(event.error);
      return;
    case "agent_exited":
      if (!event.expected) draft.trouble.push(event.reason || "the agent stopped");
      return;
    case "usage_recorded":
      draft.usd += event.cost_usd ?? 0;
      return;
  }
}

type Of<T extends AnyEvent["type"]> = Extract<AnyEvent, { type: T }>;

function decided(draft: Draft, event: Of<"attention_resolved">): void {
  const item = draft.asked.get(event.item);
  if (item === undefined) return;
  const settled = { ...item, resolution: event.resolution, resolved_at: event.at };
  const what = [itemWord(item), ownSummary(item)].filter(Boolean).join(": ");
  draft.decisions.push({ what, answer: answerText(settled) });
}

function called(draft: Draft, event: Of<"tool_called">): void {
  const input = event.input ?? {};
  const kind = toolKind(event.tool, input);
  if (kind === "read") draft.read.add(text(input, "file_path") ?? event.call);
  if (kind === "command") draft.commands += 1;
}

/** Of a check that ran several times the last run counts. */
function finished(draft: Draft, event: Of<"tool_finished">): void {
  const command = text(event.input ?? {}, "command") ?? draft.calls.get(event.call);
  if (command === undefined) return;
  const name = checkNamed(command)?.name;
  if (name === undefined) return;
  draft.runs.delete(name);
  draft.runs.set(name, () => checkOf(command, event.output ?? "", event.is_error ?? false));
}

function changed(draft: Draft, event: Of<"diff_changed">): void {
  const { path, old_path: old = "", status, added = 0, removed = 0 } = event;
  draft.files.delete(path);
  // A moved file was told by both its names before; it is one.
  if (old !== "") draft.files.delete(old);
  if (status !== "unchanged") draft.files.set(path, { path, status, added, removed });
}

/** The steps of a plan: its outermost list items. */
export function stepsOf(plan: string): number {
  return plan.split("\n").filter((line) => /^(\d+[.)]|[-*+])\s/.test(line)).length;
}

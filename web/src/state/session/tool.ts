/** A tool call in a few words: what it is called, what it works on, how it ended. */

import { checkOf } from "./checks";

export type Input = Readonly<Record<string, unknown>>;
export type ToolKind =
  | "command"
  | "edit"
  | "write"
  | "read"
  | "search"
  | "fetch"
  | "reach"
  | "delegate"
  | "todos"
  | "other";

const SUBJECTS = [
  "command",
  "file_path",
  "notebook_path",
  "pattern",
  "path",
  "query",
  "url",
  "description",
  "prompt",
];
const VERBS: Readonly<Record<ToolKind, string>> = {
  command: "running",
  edit: "editing",
  write: "writing",
  read: "reading",
  search: "searching",
  fetch: "fetching",
  reach: "reaching",
  delegate: "delegating",
  todos: "planning",
  other: "",
};
const KINDS: Readonly<Record<string, ToolKind>> = {
  Bash: "command",
  BashOutput: "command",
  Edit: "edit",
  MultiEdit: "edit",
  NotebookEdit: "edit",
  Write: "write",
  Read: "read",
  Grep: "search",
  Glob: "search",
  LS: "search",
  WebSearch: "search",
  WebFetch: "fetch",
  Network: "reach",
  Task: "delegate",
  Agent: "delegate",
  TodoWrite: "todos",
};

/** By its name where it is known, else by what it is given. */
export function toolKind(tool: string, input: Input): ToolKind {
  const known = KINDS[tool];
  if (known !== undefined) return known;
  if (text(input, "command") !== null) return "command";
  if (text(input, "old_string") !== null) return "edit";
  if (text(input, "content") !== null && text(input, "file_path") !== null) return "write";
  return "other";
}

/** The name as a person reads it; a tool of a server is told with its server. */
export function toolName(tool: string): string {
  const served = /^mcp__(.+?)__(.+)$/.exec(tool);
  return served ? `${served[1]} · ${served[2]}` : tool;
}

/** What the call works on, in one line; a path inside the worktree is shown from there. */
export function subject(input: Input, worktree: string): string {
  const host = text(input, "host");
  if (host) return typeof input.port === "number" ? `${host}:${input.port}` : host;
  for (const name of SUBJECTS) {
    const value = text(input, name);
    if (value) return shortPath(firstLine(value), worktree);
  }
  return "";
}

/** The file in the worktree that a call is about. */
export function fileOf(input: Input, worktree: string): string | null {
  const path = text(input, "file_path") ?? text(input, "notebook_path");
  if (!path || worktree === "") return null;
  if (path.startsWith(`${worktree}/`)) return path.slice(worktree.length + 1);
  return path.startsWith("/") ? null : path;
}

export function activity(tool: string, input: Input, worktree: string): string {
  const verb = VERBS[toolKind(tool, input)] || toolName(tool);
  return `${verb} ${subject(input, worktree)}`.trim();
}

export interface Replacement {
  readonly before: string;
  readonly after: string;
}

/** What an edit replaces, where its input says so. */
export function replacements(input: Input): readonly Replacement[] {
  const all = Array.isArray(input.edits) ? (input.edits as Input[]) : [input];
  return all.flatMap((edit) => {
    const [before, after] = [text(edit, "old_string"), text(edit, "new_string")];
    return before === null || after === null ? [] : [{ before, after }];
  });
}

/** Lines that an edit adds and removes, where the input says so. */
export function editSize(tool: string, input: Input): readonly [number, number] | null {
  const content = text(input, "content");
  if (toolKind(tool, input) === "write" && content !== null) return [lineCount(content), 0];
  const all = replacements(input);
  if (all.length === 0) return null;
  const sum = (pick: (one: Replacement) => string) =>
    all.reduce((lines, one) => lines + lineCount(pick(one)), 0);
  return [sum(({ after }) => after), sum(({ before }) => before)];
}

/** How a call ended, in two or three words. */
export function outcome(tool: string, input: Input, output: string): string {
  const lines = lineCount(output.trim());
  switch (toolKind(tool, input)) {
    case "command": {
      const check = checkOf(text(input, "command") ?? "", output, false);
      return check?.result || shortOutput(output, lines);
    }
    case "search":
      return lines === 0 || /^No (matches|files) found/.test(output) ? "no hits" : `${lines} hits`;
    case "read":
      return `${lines} lines`;
    default:
      return shortOutput(output, lines);
  }
}

/** What a run of calls did, such as "Read 9 files, edited 2, ran 3 commands". */
export function stepsText(
  calls: readonly { readonly tool: string; readonly input: Input }[],
): string {
  const counts = new Map<ToolKind, Set<string>>();
  for (const [place, { tool, input }] of calls.entries()) {
    const kind = toolKind(tool, input);
    const what = kind === "command" || kind === "search" ? `${place}` : subject(input, "");
    counts.set(kind, (counts.get(kind) ?? new Set()).add(what || `${place}`));
  }
  const said = [...counts].map(([kind, what]) => DID[kind](what.size)).join(", ");
  return said.charAt(0).toUpperCase() + said.slice(1);
}

const some = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
const DID: Readonly<Record<ToolKind, (count: number) => string>> = {
  read: (n) => `read ${some(n, "file")}`,
  edit: (n) => `edited ${some(n, "file")}`,
  write: (n) => `wrote ${some(n, "file")}`,
  command: (n) => `ran ${some(n, "command")}`,
  search: (n) => `searched ${n === 1 ? "once" : `${n} times`}`,
  reach: (n) => `reached ${some(n, "host")}`,
  fetch: (n) => `fetched ${some(n, "page")}`,
  delegate: (n) => `delegated ${some(n, "task")}`,
  todos: () => "planned",
  other: (n) => `used ${some(n, "other tool")}`,
};

export function text(input: Input, name: string): string | null {
  const value = input[name];
  if (Array.isArray(value) && name === "command") return value.join(" ");
  return typeof value === "string" ? value : null;
}

function shortOutput(output: string, lines: number): string {
  if (lines === 0) return "done";
  return lines === 1 ? clipped(output.trim(), 40) : `${lines} lines`;
}

export function lineCount(words: string): number {
  return words === "" ? 0 : words.replace(/\n$/, "").split("\n").length;
}

function firstLine(words: string): string {
  const end = words.indexOf("\n");
  return end < 0 ? words : `${words.slice(0, end)} …`;
}

function shortPath(words: string, worktree: string): string {
  return worktree === "" ? words : words.replaceAll(`${worktree}/`, "");
}

function clipped(words: string, most: number): string {
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}

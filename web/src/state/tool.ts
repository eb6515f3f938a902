/** A tool call in a few words: what it is called, what it works on, how it ended. */

type Input = Readonly<Record<string, unknown>>;

const SUBJECTS = [
  "file_path",
  "notebook_path",
  "path",
  "command",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
];
const VERBS: Readonly<Record<string, string>> = {
  Bash: "running",
  Edit: "editing",
  MultiEdit: "editing",
  NotebookEdit: "editing",
  Write: "writing",
  Read: "reading",
  Grep: "searching",
  Glob: "searching",
  Task: "delegating",
  Agent: "delegating",
};

/** What the call works on, in one line; a path inside the worktree is shown from there. */
export function subject(input: Input, worktree: string): string {
  for (const name of SUBJECTS) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return shortPath(firstLine(value), worktree);
  }
  return "";
}

export function activity(tool: string, input: Input, worktree: string): string {
  return `${VERBS[tool] ?? tool} ${subject(input, worktree)}`.trim();
}

/** Lines that an edit adds and removes, where the input says so. */
export function editSize(tool: string, input: Input): readonly [number, number] | null {
  const text = (name: string) => (typeof input[name] === "string" ? (input[name] as string) : null);
  const content = text("content");
  if (tool === "Write" && content !== null) return [lineCount(content), 0];
  const before = text("old_string");
  const after = text("new_string");
  return before === null || after === null ? null : [lineCount(after), lineCount(before)];
}

/** The end of an output: what a test runner or a compiler says last. */
export function outcome(output: string): string {
  const lines = output.trimEnd().split("\n");
  return lines.length === 1 ? clipped(lines[0] ?? "", 40) : `${lines.length} lines`;
}

function lineCount(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : `${text.slice(0, end)} …`;
}

function shortPath(text: string, worktree: string): string {
  return worktree === "" ? text : text.replaceAll(`${worktree}/`, "");
}

function clipped(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

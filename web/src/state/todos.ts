/** The agent's own list of what is to do, as far as it keeps one. */

import type { AnyEvent, SessionView } from "../api/types.gen";

export interface Todo {
  readonly text: string;
  readonly state: "pending" | "doing" | "done";
}

const STATES: Readonly<Record<string, Todo["state"]>> = {
  in_progress: "doing",
  doing: "doing",
  completed: "done",
  done: "done",
};

/** The list that an event sets, or null where it says nothing of it. */
export function todosOf(event: AnyEvent): readonly Todo[] | null {
  const { type, todos, tool, input } = event as {
    type: string;
    todos?: unknown;
    tool?: string;
    input?: { todos?: unknown };
  };
  if (type === "todos_changed") return read(todos);
  return type === "tool_called" && tool === "TodoWrite" ? read(input?.todos) : null;
}

/** The hub's own list, where it keeps one. */
export function sessionTodos(session: SessionView): readonly Todo[] {
  return read((session as { todos?: unknown }).todos);
}

export function progressOf(todos: readonly Todo[]): { done: number; doing: string } {
  return {
    done: todos.filter(({ state }) => state === "done").length,
    doing: todos.find(({ state }) => state === "doing")?.text ?? "",
  };
}

function read(value: unknown): readonly Todo[] {
  if (!Array.isArray(value)) return [];
  return value.map((one: Record<string, unknown>) => ({
    text: String(one?.text ?? one?.content ?? ""),
    state: STATES[String(one?.state ?? one?.status)] ?? "pending",
  }));
}

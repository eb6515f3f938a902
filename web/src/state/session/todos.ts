/** The agent's own list of what is to do, as far as it keeps one. */

import type { AnyEvent, Todo } from "../../api/types.gen";

export type { Todo };

const STATES: Readonly<Record<string, Todo["state"]>> = {
  in_progress: "doing",
  doing: "doing",
  completed: "done",
  done: "done",
};

/** The list that an event sets, or null where it says nothing of it. */
export function todosOf(event: AnyEvent): readonly Todo[] | null {
  return event.type === "todos_changed" ? (event.todos ?? []) : null;
}

/** The list that an agent writes by its own tool. */
export function todosIn(input: Readonly<Record<string, unknown>>): readonly Todo[] {
  if (!Array.isArray(input.todos)) return [];
  return input.todos.map((one: Record<string, unknown>) => ({
    text: String(one?.content ?? one?.text ?? ""),
    state: STATES[String(one?.status ?? one?.state)] ?? "pending",
  }));
}

export function progressOf(todos: readonly Todo[]): { done: number; doing: string } {
  return {
    done: todos.filter(({ state }) => state === "done").length,
    doing: todos.find(({ state }) => state === "doing")?.text ?? "",
  };
}

import type { Todo } from "../../state/session/todos";
import "./todos.css";

const WORDS = { pending: "to do", doing: "doing", done: "done" } as const;

/** What is to do, each with its state as a shape and a word. */
export function TodoList({ todos }: { readonly todos: readonly Todo[] }) {
  return (
    <ol className="todos" data-testid="todos">
      {todos.map(({ text, state }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is known by its place
        <li key={place} data-state={state}>
          <svg className="todo-mark" viewBox="0 0 14 14" aria-hidden="true">
            <circle cx="7" cy="7" r="5.6" />
            {state === "done" && <path d="M4.4 7.2l1.800 1.800 3.400-3.800" />}
            {state === "doing" && <circle className="dot" cx="7" cy="7" r="2.400" />}
          </svg>
          <span className="sr">{WORDS[state]}: </span>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}

import { useState } from "react";
import type { SessionView } from "../../api/types.gen";
import { Segments } from "../../parts/Segments";
import { TodoList } from "../../parts/session/TodoList";
import { useKeys } from "../../state/page/keys";
import { useConversations } from "../../state/session/conversations";
import { LEVELS, nextLevel, setLevel, useLevel } from "../../state/session/opened";
import { progressOf } from "../../state/session/todos";
import { Talks } from "./Talks";

const SAYS = {
  brief: "Words only; the work between them is one line",
  normal: "Every step is one line",
  full: "Every step is open",
} as const;

/** Above the words: how far the agent's own list is, and how much of its work is shown. */
export function TalkBar({ session }: { readonly session: SessionView }) {
  const [open, setOpen] = useState(false);
  const level = useLevel((state) => state.level);
  const folded = useConversations((state) => state.open[session.id]?.todos);
  const todos = session.todos.length > 0 ? session.todos : (folded ?? []);
  const { done, doing } = progressOf(todos);
  useKeys("conversation", {
    z: { label: "More or less of the agent's work", run: nextLevel },
    t: { label: "The agent's list", run: () => setOpen(!open) },
  });
  return (
    <div className="talk-bar">
      <div className="talk-tools">
        <Talks session={session} />
        {todos.length > 0 && (
          <button
            type="button"
            className="todo-line"
            aria-expanded={open}
            data-testid="todo-line"
            onClick={() => setOpen(!open)}
          >
            <span className="arrow" aria-hidden="true" />
            <progress value={done} max={todos.length} aria-label="Steps done" />
            <b>
              {done} of {todos.length}
            </b>
            <span className="doing">{doing || (done === todos.length ? "all done" : "")}</span>
          </button>
        )}
        <span className="spring" />
        <Segments
          label="How much is shown"
          options={LEVELS.map((id) => ({ id, label: id, title: `${SAYS[id]} (z)` }))}
          chosen={level}
          onChoose={setLevel}
        />
      </div>
      {open && todos.length > 0 && <TodoList todos={todos} />}
    </div>
  );
}

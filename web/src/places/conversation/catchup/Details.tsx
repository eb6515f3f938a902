import type { ReactNode } from "react";
import { Lines } from "../../../parts/Lines";
import { Markdown } from "../../../parts/markdown/Markdown";
import { TodoList } from "../../../parts/session/TodoList";
import type { CatchUp } from "../../../state/session/catchup";
import { visibleBidi } from "../../../state/session/plain";
import { clipped } from "./Facts";

const MOST_FILES = 12;

/** The same at length: every decision, file and check. */
export function Details({ card }: { readonly card: CatchUp }) {
  const { decisions, files, checks, todos, trouble, words } = card;
  return (
    <dl className="catch-up-details">
      <Part title="Trouble" shown={trouble.length > 0}>
        {trouble.map((text) => (
          <div className="tone-bad" key={text}>
            {text}
          </div>
        ))}
      </Part>
      <Part title="Decisions" shown={decisions.length > 0}>
        {decisions.map(({ what, answer }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a decision is known by its place
          <div key={place}>
            {clipped(what)} → <b>{clipped(answer)}</b>
          </div>
        ))}
      </Part>
      <Part title="Steps" shown={todos.length > 0}>
        <TodoList todos={todos} />
      </Part>
      <Part title="Files" shown={files.length > 0}>
        {files.slice(-MOST_FILES).map(({ path, status, added, removed }) => (
          <div key={path} className="catch-up-file">
            <span>{visibleBidi(path)}</span>
            <small>{status}</small>
            <Lines added={added} removed={removed} />
          </div>
        ))}
        {files.length > MOST_FILES && <div>and {files.length - MOST_FILES} more</div>}
      </Part>
      <Part title="Checks" shown={checks.length > 0}>
        {checks.map(({ name, passed, result }) => (
          <div key={name}>
            {name}{" "}
            <span className={passed ? "tone-ok" : "tone-bad"}>
              {passed ? "passed" : "failed"}
              {result && ` · ${result}`}
            </span>
          </div>
        ))}
      </Part>
      <Part title="Last words" shown={words !== ""}>
        <Markdown text={words.slice(0, 1200)} />
      </Part>
    </dl>
  );
}

interface PartProps {
  readonly title: string;
  readonly shown: boolean;
  readonly children: ReactNode;
}

function Part({ title, shown, children }: PartProps) {
  if (!shown) return null;
  return (
    <>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </>
  );
}

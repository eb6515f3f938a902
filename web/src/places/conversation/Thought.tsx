import { memo } from "react";
import { Markdown } from "../../parts/markdown/Markdown";
import { setOpened } from "../../state/session/opened";

interface Props {
  readonly id: string;
  readonly text: string;
  readonly open: boolean;
  readonly live: boolean;
}

/** The agent's thinking, folded. */
export const Thought = memo(function Thought({ id, text, open, live }: Props) {
  return (
    <div className="thought" data-testid="thought">
      <button
        type="button"
        className="thought-head"
        aria-expanded={open}
        disabled={live}
        onClick={() => setOpened(id, !open)}
      >
        <span className="arrow" aria-hidden="true" />
        {live ? "Thinking…" : "Thought"}
        <span className="gist">{live ? text.slice(-160) : text.slice(0, 160)}</span>
      </button>
      {open && <Markdown text={text} />}
    </div>
  );
});

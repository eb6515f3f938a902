import { memo } from "react";
import { Markdown } from "../../parts/markdown/Markdown";

/** The agent's thinking, folded. */
export const Thought = memo(function Thought({ text, live }: { text: string; live: boolean }) {
  return (
    <details className="thought">
      <summary>
        <span className="arrow" aria-hidden="true" />
        {live ? "Thinking…" : "Thought"}
        <span className="gist">{text.slice(0, 120)}</span>
      </summary>
      <Markdown text={text} />
    </details>
  );
});

import {
  type Answered,
  answerText,
  itemWord,
  ownSummary,
  planText,
} from "../../state/inbox/attention";
import { Markdown } from "../markdown/Markdown";

/** An answered item: one line, and the plan again for who wants it. */
export function Settled({ item }: { readonly item: Answered }) {
  const line = (
    <>
      <b>{itemWord(item)}</b>
      <span className="subject">{ownSummary(item)}</span>
      <span className="end">{answerText(item)}</span>
    </>
  );
  if (item.kind !== "plan") {
    return (
      <div className="settled" data-testid="settled">
        {line}
      </div>
    );
  }
  return (
    <details className="settled" data-testid="settled">
      <summary>{line}</summary>
      <Markdown text={planText(item)} />
    </details>
  );
}

import type { SessionView } from "../api/types.gen";
import { prWords } from "../state/pr";

/** The session's pull request: its number, its state and its checks, each as mark and word. */
export function PrBadge({ session: { pr } }: { readonly session: SessionView }) {
  if (!pr) return null;
  return (
    <span className="pr-badge" data-testid="pr-badge">
      #{pr.number}
      {prWords(pr).map(({ mark, word, tone }) => (
        <span key={word} className={`tone-${tone}`}>
          {" "}
          <span aria-hidden="true">{mark}</span> {word}
        </span>
      ))}
    </span>
  );
}

import type { SessionView } from "../../api/types.gen";
import { prWords } from "../../state/session/pr";
import "./pr-badge.css";

/** The session's pull request: its number, its state and its checks, each as mark and word. */
export function PrBadge({ session: { pr } }: { readonly session: SessionView }) {
  if (!pr) return null;
  const words = prWords(pr);
  const whole = words.map(({ word }) => word).join(", ");
  return (
    <span className="pr-badge" title={`#${pr.number}: ${whole}`} data-testid="pr-badge">
      #{pr.number}
      {words.map(({ mark, word, tone }) => (
        <span key={word} className={`tone-${tone}`}>
          {" "}
          <span aria-hidden="true">{mark}</span> {word}
        </span>
      ))}
    </span>
  );
}

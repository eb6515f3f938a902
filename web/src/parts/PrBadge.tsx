import type { SessionView } from "../api/types.gen";

/** A pull request as the hub tells it; read tolerantly. */
interface Pr {
  readonly number?: number;
  readonly state?: string;
  readonly checks?: string;
  readonly review?: string;
}

const MARKS: Readonly<Record<string, readonly [mark: string, tone: string]>> = {
  running: ["◷", "work"],
  failed: ["✕", "bad"],
  passed: ["✓", "ok"],
};

/** The session's pull request: its number, its state in a word, its checks as mark and word. */
export function PrBadge({ session }: { readonly session: SessionView }) {
  const pr = session.pr as Pr | string | null;
  if (pr === null || typeof pr !== "object" || pr.number === undefined) return null;
  const [mark, tone] = MARKS[pr.checks ?? ""] ?? ["", ""];
  const words = [pr.state, pr.checks && pr.checks !== "none" ? `checks ${pr.checks}` : ""];
  return (
    <span className="pr-badge" title={words.filter(Boolean).join(", ")}>
      #{pr.number}
      {pr.state && pr.state !== "open" && ` ${pr.state}`}
      {mark && (
        <span className={`tone-${tone}`}>
          {" "}
          <span aria-hidden="true">{mark}</span>
          <span className="sr">checks {pr.checks}</span>
        </span>
      )}
    </span>
  );
}

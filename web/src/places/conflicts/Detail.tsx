import { Link } from "wouter";
import type { Clash, Conflict, Span } from "../../api/conflicts";
import { update } from "../../api/landing";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { Hint } from "../../parts/Hint";
import { isReal } from "../../state/fleet/conflicts";
import { attempt } from "../../state/page/notices";
import { sessionPath } from "../routes";

/** Git's own words, where they say little to a reader. */
const REASONS: Readonly<Record<string, string>> = { "": "conflict", content: "same lines" };

interface Props {
  readonly conflict: Conflict;
  readonly sessions: Readonly<Record<string, SessionView>>;
}

/** One pair: its files and lines, who began, and what to do about it. */
export function Detail({ conflict, sessions }: Props) {
  return (
    <section className="conflict-detail" data-testid="conflict-detail">
      <h2>
        <Side id={conflict.a} sessions={sessions} /> <span className="and">and</span>{" "}
        <Side id={conflict.b} sessions={sessions} />
      </h2>
      <ul>
        {conflict.paths.map((path) => (
          <Path key={path.path} clash={path} />
        ))}
      </ul>
      {conflict.suggestion && (
        <p className="suggestion">
          Suggestion: <Hint text={conflict.suggestion} />.
        </p>
      )}
      {conflict.base && isReal(conflict) && (
        <Button onClick={() => void attempt(() => update(conflict.a))}>
          Bring {conflict.b} in
        </Button>
      )}
    </section>
  );
}

function Side({ id, sessions }: { readonly id: string; readonly sessions: Props["sessions"] }) {
  const session = sessions[id];
  if (session === undefined) return <span className="branch">{id}</span>;
  return <Link href={sessionPath(id)}>{session.title || session.slug}</Link>;
}

function Path({ clash }: { readonly clash: Clash }) {
  return (
    <li className={clash.kind}>
      <span className="path">{clash.path}</span>
      <span className="why">
        {clash.kind === "overlap" ? "both, merges" : (REASONS[clash.reason] ?? clash.reason)}
      </span>
      <span className="lines">
        {clash.lines.a.length > 0 && `lines ${spans(clash.lines.a)}`}
        {clash.lines.b.length > 0 && ` ↔ ${spans(clash.lines.b)}`}
      </span>
    </li>
  );
}

function spans(lines: readonly Span[]): string {
  return lines.map(([first, last]) => (last > first ? `${first}–${last}` : `${first}`)).join(", ");
}

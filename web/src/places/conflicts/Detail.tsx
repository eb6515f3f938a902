import { Link } from "wouter";
import { type Clash, type Conflict, type Span, update } from "../../api/conflicts";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { isReal } from "../../state/conflicts";
import { attempt } from "../../state/notices";
import { sessionPath } from "../routes";

interface Props {
  readonly conflict: Conflict;
  readonly sessions: Readonly<Record<string, SessionView>>;
}

/** One pair: its files and lines, who began, and what to do about it. */
export function Detail({ conflict, sessions }: Props) {
  return (
    <section className="conflict-detail" data-testid="conflict-detail">
      <h2>
        <Side id={conflict.a} sessions={sessions} /> and{" "}
        <Side id={conflict.b} sessions={sessions} />
      </h2>
      {conflict.suggestion && <p className="suggestion">Suggestion: {conflict.suggestion}.</p>}
      <ul>
        {conflict.paths.map((path) => (
          <Path key={path.path} clash={path} />
        ))}
      </ul>
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
        {clash.kind === "conflict" ? clash.reason || "conflict" : "overlap"}
      </span>
      <span className="lines">
        {spans(clash.lines.a)}
        {clash.lines.b.length > 0 && ` ↔ ${spans(clash.lines.b)}`}
      </span>
    </li>
  );
}

function spans(lines: readonly Span[]): string {
  return lines.map(([first, last]) => (last > first ? `${first}–${last}` : `${first}`)).join(", ");
}

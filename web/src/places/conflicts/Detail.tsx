import { Link } from "wouter";
import type { Clash, Conflict, PathHunks, Span } from "../../api/conflicts";
import type { SessionView } from "../../api/types.gen";
import { plural } from "../../parts/format";
import { Hint } from "../../parts/Hint";
import { isReal } from "../../state/fleet/conflicts";
import { sessionPath } from "../routes";
import { Hunks, useHunks } from "./Hunks";
import { SideActs } from "./SideActs";

/** Git's own words, where they say little to a reader. */
const REASONS: Readonly<Record<string, string>> = { "": "conflict", content: "same lines" };

interface Props {
  readonly conflict: Conflict;
  readonly sessions: Readonly<Record<string, SessionView>>;
}

/** One pair: both sides of what collides, who began, and what can be done about it. */
export function Detail({ conflict, sessions }: Props) {
  const real = isReal(conflict);
  const nameOf = (id: string) => sessions[id]?.title || sessions[id]?.slug || id;
  const { paths, more } = useHunks(conflict);
  const names = [nameOf(conflict.a), nameOf(conflict.b)] as const;
  return (
    <section className="conflict-detail" data-testid="conflict-detail">
      <div className="sides heads">
        {[conflict.a, conflict.b].map((id) => (
          <div className="side" key={id}>
            <h2>
              <Side id={id} sessions={sessions} />{" "}
              {real && id === conflict.first && <span className="and">began</span>}
            </h2>
            {real && sessions[id] && (
              <SideActs session={sessions[id]} conflict={conflict} other={nameOf} />
            )}
          </div>
        ))}
      </div>
      {conflict.suggestion && (
        <p className="suggestion">
          Suggestion: <Hint text={conflict.suggestion} />.
        </p>
      )}
      <ul>
        {conflict.paths.map((path) => (
          <Path key={path.path} clash={path} found={paths[path.path]} names={names} />
        ))}
      </ul>
      {more > 0 && <p className="quiet">{plural(more, "file")} more in conflict.</p>}
    </section>
  );
}

function Side({ id, sessions }: { readonly id: string; readonly sessions: Props["sessions"] }) {
  const session = sessions[id];
  if (session === undefined) return <span className="branch">{id}</span>;
  return <Link href={sessionPath(id)}>{session.title || session.slug}</Link>;
}

interface PathProps {
  readonly clash: Clash;
  readonly found: PathHunks | undefined;
  readonly names: readonly [string, string];
}

function Path({ clash, found, names }: PathProps) {
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
      {found && <Hunks found={found} names={names} />}
    </li>
  );
}

function spans(lines: readonly Span[]): string {
  return lines.map(([first, last]) => (last > first ? `${first}–${last}` : `${first}`)).join(", ");
}

import { Link } from "wouter";
import type { Conflict } from "../../api/conflicts";
import type { SessionView } from "../../api/types.gen";
import { between, isReal } from "../../state/fleet/conflicts";
import { sessionPath } from "../routes";

interface Props {
  readonly sessions: readonly SessionView[];
  readonly conflicts: readonly Conflict[];
  readonly shown: Conflict | null;
  readonly onChoose: (one: string, other: string) => void;
}

/** Rows and columns are sessions, by their numbers; the last column is each one's base. */
export function Matrix({ sessions, ...rest }: Props) {
  return (
    <div className="matrix-frame">
      <table className="matrix">
        <thead>
          <tr>
            <td />
            {sessions.map((session, at) => (
              <th key={session.id} scope="col" title={session.title}>
                <span aria-hidden="true">{at + 1}</span>
                <span className="sr">{session.slug}</span>
              </th>
            ))}
            <th scope="col">base</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session, at) => (
            <tr key={session.id}>
              <th scope="row" title={session.title}>
                <span className="number" aria-hidden="true">
                  {at + 1}
                </span>
                <Link href={sessionPath(session.id)}>{session.title || session.slug}</Link>
              </th>
              {sessions.map(({ id, slug }) => (
                <td key={id}>
                  <Cell one={session} other={id} name={slug} {...rest} />
                </td>
              ))}
              <td>
                <Cell one={session} other={session.base} name={session.base} {...rest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="legend">
        <span>
          <span className="cell conflict">n</span> files conflict
        </span>
        <span>
          <span className="cell overlap">n</span> files changed by both, and they merge
        </span>
      </p>
    </div>
  );
}

interface CellProps extends Omit<Props, "sessions"> {
  readonly one: SessionView;
  readonly other: string;
  readonly name: string;
}

function Cell({ one, other, name, conflicts, shown, onChoose }: CellProps) {
  if (one.id === other) return <span className="self" aria-hidden="true" />;
  const found = between(conflicts, one.id, other);
  if (found === undefined) return <span className="sr">clean</span>;
  const real = found.paths.filter((path) => path.kind === "conflict").length;
  const kind = isReal(found) ? "conflict" : "overlap";
  return (
    <button
      type="button"
      className={`cell ${kind}`}
      aria-pressed={found === shown}
      aria-label={`${one.slug} and ${name}: ${kind}`}
      onClick={() => onChoose(one.id, other)}
      data-testid={`cell-${kind}`}
    >
      {isReal(found) ? real : found.paths.length}
    </button>
  );
}

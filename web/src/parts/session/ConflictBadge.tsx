import { conflictCount, useConflicts } from "../../state/fleet/conflicts";
import { plural } from "../format";
import "./conflict-badge.css";

/** With how many others a session conflicts; nothing where it is in nobody's way. */
export function ConflictBadge({ session }: { readonly session: string }) {
  const count = useConflicts((radar) => conflictCount(radar.conflicts, session));
  if (count === 0) return null;
  const words = plural(count, "conflict");
  return (
    <span className="conflict-badge" title={words} data-testid="conflict-badge">
      <span aria-hidden="true">⚠ {count}</span>
      <span className="sr">{words}</span>
    </span>
  );
}

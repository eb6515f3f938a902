import { useEffect, useState } from "react";
import type { Conflict } from "../../api/conflicts";
import { between, isReal, loadConflicts, useConflicts } from "../../state/fleet/conflicts";
import { useFleet } from "../../state/fleet/fleet";
import { attempt } from "../../state/page/notices";
import { Detail } from "./Detail";
import { Matrix } from "./Matrix";
import "./conflicts.css";

/** Every session against every other and against its base: who could not be merged with whom. */
export default function Conflicts() {
  const { loaded, conflicts } = useConflicts();
  const sessions = useFleet((fleet) => fleet.sessions);
  const [chosen, setChosen] = useState<readonly [string, string] | null>(null);
  useEffect(() => void attempt(() => loadConflicts(true)), []);
  const live = Object.values(sessions).filter((session) => session.status !== "archived");
  const shown = (chosen && between(conflicts, ...chosen)) ?? conflicts.find(isReal) ?? null;
  return (
    <main className="conflicts" data-testid="conflicts">
      <div className="conflicts-inner">
        <h1>Conflicts</h1>
        {loaded && <Summary conflicts={conflicts} />}
        {live.length > 0 && (
          <Matrix
            sessions={live}
            conflicts={conflicts}
            shown={shown}
            onChoose={(one, other) => setChosen([one, other])}
          />
        )}
        {shown && <Detail conflict={shown} sessions={sessions} />}
      </div>
    </main>
  );
}

function Summary({ conflicts }: { readonly conflicts: readonly Conflict[] }) {
  const real = conflicts.filter(isReal).length;
  if (real === 0) return <p className="calm">All sessions merge clean with each other.</p>;
  return (
    <p>
      <b>{real === 1 ? "One pair" : `${real} pairs`}</b> would not merge. Uncommitted work counts.
    </p>
  );
}

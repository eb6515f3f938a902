import { useFleet } from "../../state/fleet/fleet";
import { type ListGroup, useListed } from "../../state/fleet/listed";
import { toggleFold, useSelection, useSidebar } from "../../state/fleet/sidebar";
import { Chosen } from "./Chosen";
import { Filter } from "./Filter";
import { Place } from "./Place";
import { useFleetKeys } from "./useFleetKeys";
import "./fleet.css";

/** All sessions, those that need a person first. */
export function Fleet() {
  const loaded = useFleet((fleet) => fleet.loaded);
  const groups = useListed();
  const filter = useSelection((selection) => selection.filter);
  useFleetKeys();
  return (
    <nav className="fleet" aria-label="Sessions" data-testid="fleet">
      <Filter />
      <div className="fleet-list">
        {loaded && groups.length === 0 && <Nothing filter={filter} />}
        {groups.map((group) => (
          <Group key={group.name} group={group} />
        ))}
      </div>
      <Chosen />
    </nav>
  );
}

function Group({ group }: { readonly group: ListGroup }) {
  const folded = useSidebar((sidebar) => sidebar.folded.includes(group.name));
  return (
    <section data-group={group.name} aria-label={group.title}>
      <h2>
        <button type="button" aria-expanded={!folded} onClick={() => toggleFold(group.name)}>
          <span>{group.title}</span>
          <span>{group.sessions.length}</span>
        </button>
      </h2>
      {!folded && (
        <ul>
          {group.sessions.map((session) => (
            <Place key={session.id} session={session} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Nothing({ filter }: { readonly filter: string }) {
  if (filter !== "") return <p className="none">No session matches “{filter}”.</p>;
  return (
    <p className="none">
      No sessions yet. Press <kbd className="kbd">N</kbd> to start one.
    </p>
  );
}

import { useMemo } from "react";
import { useFleet } from "../../state/fleet";
import { grouped } from "../../state/groups";
import { Row } from "./Row";
import "./fleet.css";

/** All sessions, those that need a person first. */
export function Fleet() {
  const sessions = useFleet((fleet) => fleet.sessions);
  const loaded = useFleet((fleet) => fleet.loaded);
  const groups = useMemo(
    () => grouped(Object.values(sessions).filter((session) => session.status !== "archived")),
    [sessions],
  );
  return (
    <nav className="fleet" aria-label="Sessions" data-testid="fleet">
      {loaded && groups.length === 0 && (
        <p className="none">
          No sessions yet. Press <kbd className="kbd">N</kbd> to start one.
        </p>
      )}
      {groups.map((group) => (
        <section key={group.name} data-group={group.name} aria-label={group.title}>
          <h2>
            <span>{group.title}</span>
            <span>{group.sessions.length}</span>
          </h2>
          <ul>
            {group.sessions.map((session) => (
              <li key={session.id}>
                <Row session={session} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

import { lazy } from "react";
import { useFleet } from "../state/fleet/fleet";

const Welcome = lazy(() => import("./welcome/Welcome"));

/** The place beside the list when no session is chosen. */
export function Start() {
  const loaded = useFleet((fleet) => fleet.loaded);
  const empty = useFleet((fleet) => Object.keys(fleet.sessions).length === 0);
  if (!loaded) return <main className="empty" aria-busy="true" />;
  if (empty) return <Welcome />;
  return (
    <main className="empty" data-testid="start">
      <Choose />
    </main>
  );
}

function Choose() {
  return (
    <>
      <h1>No session chosen</h1>
      <p>
        Choose one from the list, or press <code>j</code> for the first. What waits for you is in
        the inbox: <code>g</code> <code>i</code>.
      </p>
    </>
  );
}

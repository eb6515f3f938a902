import { Button } from "../../parts/Button";
import { useFleet } from "../../state/fleet/fleet";
import { setCover } from "../../state/page/screen";

/** The wall with nobody on it. */
export function NoTiles() {
  const loaded = useFleet((fleet) => fleet.loaded);
  return (
    <main className="empty" data-testid="wall" aria-busy={!loaded}>
      {loaded && (
        <>
          <h1>The wall is empty</h1>
          <p>
            Every running session gets a tile here: its last words, what it does, the change it just
            made, and its question, which you answer in place.
          </p>
          <p>
            <Button look="primary" hint="N" onClick={() => setCover({ name: "new" })}>
              New session
            </Button>
          </p>
        </>
      )}
    </main>
  );
}

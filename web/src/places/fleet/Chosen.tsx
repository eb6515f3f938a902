import { useLocation } from "wouter";
import { stop } from "../../api/hub";
import { Button } from "../../parts/Button";
import { putSession, useFleet } from "../../state/fleet/fleet";
import { choose, useSelection } from "../../state/fleet/sidebar";
import { attempt } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";
import { comparePath } from "../routes";
import { board } from "../train/board";

/** What can be done with all chosen sessions at once. */
export function Chosen() {
  const chosen = useSelection((selection) => selection.chosen);
  const sessions = useFleet((fleet) => fleet.sessions);
  const [, navigate] = useLocation();
  const ids = chosen.filter((id) => id in sessions);
  if (ids.length === 0) return null;
  const stopAll = () =>
    Promise.all(ids.map((id) => attempt(async () => putSession(await stop(id)))));
  return (
    <section className="chosen small-buttons" aria-label="Chosen sessions" data-testid="chosen">
      <span>{ids.length} chosen</span>
      <Button onClick={() => setCover({ name: "say", ids })}>Say…</Button>
      <Button onClick={() => void stopAll()}>Stop</Button>
      <Button disabled={ids.length < 2} onClick={() => navigate(comparePath(ids))}>
        Compare
      </Button>
      <Button onClick={() => setCover({ name: "land", ids, method: "merge", archive: false })}>
        Merge…
      </Button>
      <Button onClick={() => void board(ids)}>Add to train</Button>
      <Button onClick={() => setCover({ name: "archive", ids })}>Archive…</Button>
      <Button look="quiet" aria-label="Choose none" onClick={() => choose([])}>
        ×
      </Button>
    </section>
  );
}

import { useState } from "react";
import { rewind } from "../../../api/hub";
import { Button } from "../../../parts/Button";
import { Dialog } from "../../../parts/overlay/Dialog";
import { putSession, useFleet } from "../../../state/fleet/fleet";
import { attempt } from "../../../state/page/notices";
import { uncover } from "../../../state/page/screen";

interface Props {
  readonly id: string;
  readonly checkpoint: string;
  readonly turn: number;
}

/** Says what going back does, and does it only when asked again. */
export function Rewind({ id, checkpoint, turn }: Props) {
  const session = useFleet((fleet) => fleet.sessions[id]);
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    const worked = await attempt(async () => putSession(await rewind(id, checkpoint)));
    setBusy(false);
    if (worked) uncover();
  };
  const later = (session?.turn ?? turn) - turn;
  return (
    <Dialog title={`Rewind to the end of turn ${turn}`}>
      <div className="body">
        <p>
          The files of the worktree go back to how they were then
          {later > 0 && `, before ${later === 1 ? "the last turn" : `the last ${later} turns`}`}.
          Where the agent can, its memory of the dialogue goes back too.
        </p>
        <p className="aside">
          What is there now is kept as a checkpoint first, so this can be undone the same way.
        </p>
      </div>
      <div className="actions">
        <Button data-first onClick={uncover}>
          Cancel
        </Button>
        <Button look="primary" disabled={busy} onClick={() => void confirm()}>
          {busy ? "Rewinding…" : "Rewind"}
        </Button>
      </div>
    </Dialog>
  );
}

import { useEffect, useState } from "react";
import type { ArchivePlan } from "../../api/answers";
import { remove } from "../../api/hub";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/overlay/Dialog";
import { loadArchive } from "../../state/fleet/archive";
import { attempt } from "../../state/page/notices";
import { uncover } from "../../state/page/screen";
import { Plan } from "./Plan";
import "./archive.css";

interface Props {
  readonly id: string;
  readonly title: string;
}

/** Shows what would be gone for good, and removes it only when asked again. */
export function Remove({ id, title }: Props) {
  const [plan, setPlan] = useState<ArchivePlan | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    void attempt(async () => setPlan(await remove(id, true))).then((worked) => worked || uncover());
  }, [id]);
  const confirm = async () => {
    setBusy(true);
    const worked = await attempt(() => remove(id, false));
    setBusy(false);
    void loadArchive();
    if (worked) uncover();
  };
  const free = plan !== null && plan.blocked_by.length === 0;
  return (
    <Dialog title={`Delete “${title}” for good`}>
      <div className="body">
        {plan === null ? <p>Looking at what is there…</p> : <Plan plan={plan} />}
      </div>
      <div className="actions">
        <span className="aside">
          {plan && plan.lost.length > 0 && "What is listed as lost cannot be brought back."}
        </span>
        <Button data-first onClick={uncover}>
          Cancel
        </Button>
        <Button look="primary" disabled={!free || busy} onClick={() => void confirm()}>
          Delete for good
        </Button>
      </div>
    </Dialog>
  );
}

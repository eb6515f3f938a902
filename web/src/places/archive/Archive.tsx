import { useEffect, useState } from "react";
import type { ArchivePlan } from "../../api/answers";
import { archive } from "../../api/hub";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { fetchSoon, useFleet } from "../../state/fleet";
import { attempt } from "../../state/notices";
import { uncover } from "../../state/screen";
import { Plan } from "./Plan";
import "./archive.css";

/** Shows what archiving keeps and loses, and does it only when asked again. */
export function Archive({ id }: { readonly id: string }) {
  const title = useFleet((fleet) => fleet.sessions[id]?.title ?? id);
  const [plan, setPlan] = useState<ArchivePlan | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    void attempt(async () => setPlan(await archive(id, true))).then(
      (worked) => worked || uncover(),
    );
  }, [id]);
  const confirm = async () => {
    setBusy(true);
    if (await attempt(() => archive(id, false))) {
      fetchSoon(id);
      uncover();
    }
    setBusy(false);
  };
  const blocked = plan === null || plan.blocked_by.length > 0;
  return (
    <Dialog title={`Archive “${title}”`}>
      <div className="body">
        {plan === null ? <p>Looking at what is there…</p> : <Plan plan={plan} />}
      </div>
      <div className="actions">
        <span className="aside">Can be restored for 30 days.</span>
        <Button data-first onClick={uncover}>
          Cancel
        </Button>
        <Button look="primary" disabled={blocked || busy} onClick={() => void confirm()}>
          Archive
        </Button>
      </div>
    </Dialog>
  );
}

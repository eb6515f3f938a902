import { useEffect, useState } from "react";
import type { ArchivePlan } from "../../api/answers";
import { archive } from "../../api/hub";
import { Button } from "../../parts/Button";
import { plural } from "../../parts/format";
import { Dialog } from "../../parts/overlay/Dialog";
import { useFleet } from "../../state/fleet/fleet";
import { choose } from "../../state/fleet/sidebar";
import { attempt } from "../../state/page/notices";
import { uncover } from "../../state/page/screen";
import { Plan } from "./Plan";
import "./archive.css";

/** Shows what archiving keeps and loses, and does it only when asked again. */
export function Archive({ ids }: { readonly ids: readonly string[] }) {
  const sessions = useFleet((fleet) => fleet.sessions);
  const [plans, setPlans] = useState<readonly ArchivePlan[] | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const look = () => Promise.all(ids.map((id) => archive(id, true)));
    void attempt(async () => setPlans(await look())).then((worked) => worked || uncover());
  }, [ids]);
  const titleOf = (id: string) => sessions[id]?.title ?? id;
  const ready = plans?.filter((plan) => plan.blocked_by.length === 0) ?? [];
  const confirm = async () => {
    setBusy(true);
    const done = await Promise.all(
      ready.map(({ session }) => attempt(() => archive(session, false))),
    );
    setBusy(false);
    if (done.every(Boolean)) {
      choose([]);
      uncover();
    }
  };
  const [only] = ids;
  const title = ids.length === 1 ? `“${titleOf(only ?? "")}”` : plural(ids.length, "session");
  return (
    <Dialog title={`Archive ${title}`}>
      <div className="body">
        {plans === null && <p>Looking at what is there…</p>}
        {plans?.map((plan) => (
          <section key={plan.session}>
            {ids.length > 1 && <h3 className="archive-title">{titleOf(plan.session)}</h3>}
            <Plan plan={plan} />
          </section>
        ))}
      </div>
      <div className="actions">
        <span className="aside">Can be restored for 30 days.</span>
        <Button data-first onClick={uncover}>
          Cancel
        </Button>
        <Button look="primary" disabled={ready.length === 0 || busy} onClick={() => void confirm()}>
          Archive{ids.length > 1 && plans !== null && ` ${ready.length}`}
        </Button>
      </div>
    </Dialog>
  );
}

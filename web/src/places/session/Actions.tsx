import { restore, resume, stop } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { putSession } from "../../state/fleet";
import { attempt } from "../../state/notices";
import { setCover } from "../../state/screen";

const RUNNING = ["working", "waiting", "queued"];
const STOPPED = ["failed", "unreachable"];

/** Only what can be done in the present state. */
export function Actions({ session }: { readonly session: SessionView }) {
  const run = (operation: (id: string) => Promise<SessionView>) => () =>
    void attempt(async () => putSession(await operation(session.id)));
  if (session.status === "archived") {
    return (
      <div className="actions">
        <Button onClick={run(restore)}>Restore</Button>
      </div>
    );
  }
  return (
    <div className="actions">
      {RUNNING.includes(session.status) && <Button onClick={run(stop)}>Stop</Button>}
      {STOPPED.includes(session.status) && <Button onClick={run(resume)}>Resume</Button>}
      <Button onClick={() => setCover({ name: "landing", id: session.id })}>Land…</Button>
      <Button look="quiet" onClick={() => setCover({ name: "archive", id: session.id })}>
        Archive…
      </Button>
    </div>
  );
}

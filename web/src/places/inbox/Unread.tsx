import type { SessionView } from "../../api/types.gen";
import { Row } from "../fleet/Row";

/** Beside what is open: what is finished and not looked at. */
export function Unread({ sessions }: { readonly sessions: readonly SessionView[] }) {
  return (
    <div className="finished">
      <h2>Finished, unread</h2>
      {sessions.map((session) => (
        <Row key={session.id} session={session} />
      ))}
    </div>
  );
}

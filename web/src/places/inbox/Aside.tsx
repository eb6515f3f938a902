import { Link } from "wouter";
import { markRead } from "../../api/hub";
import type { Attention, SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { NotifyWishes } from "../../parts/notify/NotifyWishes";
import { putSession } from "../../state/fleet/fleet";
import { groupOf } from "../../state/fleet/groups";
import { useHub } from "../../state/hub";
import { waitsFor } from "../../state/inbox/attention";
import { snoozedUntil } from "../../state/inbox/snooze";
import { attempt } from "../../state/page/notices";
import { Row } from "../fleet/Row";
import { sessionPath } from "../routes";
import { snoozeItem } from "./snoozing";

interface Props {
  readonly sessions: readonly SessionView[];
  readonly snoozed: readonly Attention[];
}

/** Beside what is open: what is finished and not looked at, what was put off, and who is told. */
export function Aside({ sessions, snoozed }: Props) {
  const finished = sessions.filter((session) => groupOf(session) === "unread");
  return (
    <aside className="inbox-aside" aria-label="Beside the inbox">
      <Finished sessions={finished} />
      {snoozed.length > 0 && <Snoozed items={snoozed} sessions={sessions} />}
      <NotifyWishes />
    </aside>
  );
}

function Finished({ sessions }: { readonly sessions: readonly SessionView[] }) {
  const limit = useHub((hub) => hub.status?.limits?.unread);
  const over = limit !== undefined && sessions.length >= limit;
  const read = (id: string) => void attempt(async () => putSession(await markRead(id)));
  return (
    <section>
      <h2>
        <span>Finished, unread</span>
        <span className={over ? "tone-wait" : ""}>
          {sessions.length}
          {limit !== undefined && ` of ${limit}`}
        </span>
      </h2>
      {over && (
        <p>More finished work waits for your eyes than you asked for. Read some before the next.</p>
      )}
      {sessions.length === 0 && <p>What finishes while you look elsewhere is kept here.</p>}
      <ul>
        {sessions.map((session) => (
          <li key={session.id} className="finished-row">
            <Row session={session} />
            <Button
              size="small"
              look="quiet"
              aria-label={`Mark ${session.title} as read`}
              onClick={() => read(session.id)}
            >
              Read
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SnoozedProps {
  readonly items: readonly Attention[];
  readonly sessions: readonly SessionView[];
}

function Snoozed({ items, sessions }: SnoozedProps) {
  const titleOf = (item: Attention) =>
    sessions.find((session) => session.id === item.session)?.title ?? item.session;
  return (
    <section data-testid="snoozed">
      <h2>
        <span>Put off</span>
        <span>{items.length}</span>
      </h2>
      <ul>
        {items.map((item) => (
          <li key={item.id} className="snoozed-row">
            <Link href={sessionPath(item.session)}>{titleOf(item)}</Link>
            <small>
              {waitsFor(item)}, until{" "}
              {new Date(snoozedUntil(item) ?? "").toLocaleTimeString([], { timeStyle: "short" })}
            </small>
            <Button look="quiet" size="small" onClick={() => snoozeItem(item, 0)}>
              Now
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useFleet } from "../../state/fleet/fleet";
import { inbox } from "../../state/fleet/groups";
import { isSnoozed } from "../../state/inbox/snooze";
import { useKeys } from "../../state/page/keys";
import { sessionPath } from "../routes";
import { Aside } from "./Aside";
import { Clear } from "./Clear";
import { InboxItem } from "./InboxItem";
import { canSnooze, snoozeItem } from "./snoozing";
import "./inbox.css";

const USUAL_MINUTES = 30;

/** Everything that needs a person, answered in place; beside it, what is finished and unread. */
export default function Inbox() {
  const sessions = useFleet((fleet) => fleet.sessions);
  const loaded = useFleet((fleet) => fleet.loaded);
  const all = useMemo(() => inbox(Object.values(sessions)), [sessions]);
  const items = all.filter((item) => !isSnoozed(item));
  const [chosen, setChosen] = useState<string | null>(null);
  const [, navigate] = useLocation();
  const list = useRef<HTMLDivElement>(null);
  // An answered item leaves; the one that takes its place is next.
  const known = items.findIndex((item) => item.id === chosen);
  const last = useRef(0);
  const place = known >= 0 ? known : Math.min(last.current, items.length - 1);
  last.current = Math.max(place, 0);
  const current = items[place];
  const step = (by: number) => setChosen(items[place + by]?.id ?? current?.id ?? null);
  useKeys("inbox", {
    j: { label: "Next card", run: () => step(1), repeats: true },
    k: { label: "Previous card", run: () => step(-1), repeats: true },
    o: {
      label: "Open the session",
      run: () => current && navigate(sessionPath(current.session)),
    },
    ...(current && canSnooze(current)
      ? { z: { label: "Put off for half an hour", run: () => snoozeItem(current, USUAL_MINUTES) } }
      : {}),
  });
  useEffect(() => {
    list.current
      ?.querySelector(`[data-item="${current?.id}"]`)
      ?.scrollIntoView({ block: "nearest" });
  }, [current?.id]);
  return (
    <main className="inbox" data-testid="inbox">
      <div className="inbox-items" ref={list}>
        <h1>Inbox {items.length > 0 && <span className="many">{items.length} to answer</span>}</h1>
        {loaded && items.length === 0 && <Clear />}
        {items.map((item) => (
          <InboxItem
            key={item.id}
            item={item}
            session={sessions[item.session]}
            active={item.id === current?.id}
            onChoose={() => setChosen(item.id)}
          />
        ))}
      </div>
      <Aside sessions={Object.values(sessions)} snoozed={all.filter((item) => isSnoozed(item))} />
    </main>
  );
}

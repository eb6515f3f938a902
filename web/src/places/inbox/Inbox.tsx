import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useFleet } from "../../state/fleet";
import { groupOf, inbox } from "../../state/groups";
import { useKeys } from "../../state/keys";
import { sessionPath } from "../routes";
import { Clear } from "./Clear";
import { InboxItem } from "./InboxItem";
import { Unread } from "./Unread";
import "./inbox.css";

/** Everything that needs a person, answered in place. */
export default function Inbox() {
  const sessions = useFleet((fleet) => fleet.sessions);
  const items = useMemo(() => inbox(Object.values(sessions)), [sessions]);
  const finished = Object.values(sessions).filter((session) => groupOf(session) === "unread");
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
    j: { label: "Next card", run: () => step(1) },
    k: { label: "Previous card", run: () => step(-1) },
    o: {
      label: "Open the session",
      run: () => current && navigate(sessionPath(current.session)),
    },
  });
  useEffect(() => {
    list.current
      ?.querySelector(`[data-item="${current?.id}"]`)
      ?.scrollIntoView({ block: "nearest" });
  }, [current?.id]);
  return (
    <main className="inbox" data-testid="inbox">
      <div className="inbox-inner" ref={list}>
        <h1>Inbox</h1>
        {items.length === 0 && <Clear />}
        {items.map((item) => (
          <InboxItem
            key={item.id}
            item={item}
            session={sessions[item.session]}
            active={item.id === current?.id}
            onChoose={() => setChosen(item.id)}
          />
        ))}
        {finished.length > 0 && <Unread sessions={finished} />}
      </div>
    </main>
  );
}

import { useMemo, useState } from "react";
import type { SessionView } from "../../../api/types.gen";
import { Ago } from "../../../parts/Ago";
import { waitsFor } from "../../../state/inbox/attention";
import { catchUp, isWorth } from "../../../state/session/catchup";
import { useConversations } from "../../../state/session/conversations";
import { Details } from "./Details";
import { Facts } from "./Facts";
import { type Stretch, useStretch } from "./useStretch";
import "./catchup.css";

/** What happened since the person last looked, to be read in half a minute. */
export function CatchUp({ session }: { readonly session: SessionView }) {
  const [stretch, dismiss] = useStretch(session.id);
  return stretch && <Card session={session} stretch={stretch} onDismiss={dismiss} />;
}

interface Props {
  readonly session: SessionView;
  readonly stretch: Stretch;
  readonly onDismiss: () => void;
}

function Card({ session, stretch: { from, upto }, onDismiss }: Props) {
  const events = useConversations((state) => state.open[session.id]?.events);
  const [open, setOpen] = useState(false);
  const card = useMemo(() => catchUp(events ?? [], from.seq, upto), [events, from, upto]);
  if (!isWorth(card)) return null;
  const asked = session.attention[0];
  return (
    <section className="catch-up" aria-label="Since you looked" data-testid="catch-up">
      <p>
        <b>{from.seq === 0 ? "So far." : <Since at={from.at} />}</b> <Facts card={card} />
        {asked && (
          <span className="tone-wait" data-testid="catch-up-asked">
            {" "}
            · asks you: {waitsFor(asked)}
          </span>
        )}
      </p>
      <div className="catch-up-actions">
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Less" : "More"}
        </button>
        <button type="button" aria-label="Put away" onClick={onDismiss}>
          ×
        </button>
      </div>
      {open && <Details card={card} />}
    </section>
  );
}

function Since({ at }: { readonly at: string }) {
  return (
    <>
      Since you looked, <Ago at={at} />
      {Date.now() - Date.parse(at) >= 60_000 && " ago"}.
    </>
  );
}

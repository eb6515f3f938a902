import { lazy, Suspense } from "react";
import { useLocation } from "wouter";
import { fork } from "../../../api/hub";
import type { SessionView } from "../../../api/types.gen";
import { duration, money } from "../../../parts/format";
import { putSession } from "../../../state/fleet/fleet";
import { attempt } from "../../../state/page/notices";
import { setCover } from "../../../state/page/screen";
import type { Item } from "../../../state/session/conversation";
import { setOpened, useOpened } from "../../../state/session/opened";
import { sessionPath } from "../../routes";

const TurnDiff = lazy(() => import("./TurnDiff"));
const WORDS = { done: "done", interrupted: "stopped", failed: "failed" } as const;

interface Props {
  readonly item: Extract<Item, { kind: "turn" }>;
  readonly session: SessionView;
}

/** The line at a turn's end: how it went, what it changed, and the ways back to it. */
export function TurnEnd({ item, session }: Props) {
  const open = useOpened(({ opened }) => opened[item.id] ?? false);
  const parts = [
    `Turn ${item.turn} ${WORDS[item.outcome]}`,
    item.seconds > 0 ? duration(item.seconds) : "",
    item.usd > 0 ? money(item.usd) : "",
  ];
  return (
    <div className={`turn-end ${item.outcome}`} data-testid="turn-end" data-outcome={item.outcome}>
      <div className="turn-line">
        <span>{parts.filter(Boolean).join(" · ")}</span>
        {item.checkpoint !== "" && session.status !== "archived" && (
          <TurnActions item={item} session={session} open={open} />
        )}
      </div>
      {item.error && <p className="tone-bad">{item.error}</p>}
      {open && (
        <Suspense fallback={<p className="note">Looking…</p>}>
          <TurnDiff session={session.id} turn={item.turn} />
        </Suspense>
      )}
    </div>
  );
}

function TurnActions({ item, session, open }: Props & { readonly open: boolean }) {
  const [, navigate] = useLocation();
  const branchOff = () =>
    attempt(async () => {
      const made = await fork(session.id, item.checkpoint);
      putSession(made);
      navigate(sessionPath(made.id));
    });
  const rewind = () =>
    setCover({ name: "rewind", id: session.id, checkpoint: item.checkpoint, turn: item.turn });
  return (
    <span className="turn-actions">
      <button type="button" aria-expanded={open} onClick={() => setOpened(item.id, !open)}>
        Diff of this turn
      </button>
      <button type="button" onClick={rewind}>
        Rewind…
      </button>
      <button type="button" onClick={() => void branchOff()}>
        Fork
      </button>
    </span>
  );
}

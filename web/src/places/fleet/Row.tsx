import { memo } from "react";
import { Link, useRoute } from "wouter";
import type { SessionView } from "../../api/types.gen";
import { Ago } from "../../parts/Ago";
import { money, plural } from "../../parts/format";
import { Lines } from "../../parts/Lines";
import { ConflictBadge } from "../../parts/session/ConflictBadge";
import { Ports } from "../../parts/session/Ports";
import { PrBadge } from "../../parts/session/PrBadge";
import { StateIcon, toneOf } from "../../parts/session/StateIcon";
import { stateWord } from "../../parts/session/stateWord";
import { waitsFor } from "../../state/inbox/attention";
import { addressesOf } from "../../state/session/addresses";
import { activity } from "../../state/session/tool";
import { SESSION, sessionPath } from "../routes";

interface Props {
  readonly session: SessionView;
  readonly pinned?: boolean;
}

/** One session in the list: its state, its name, what it does or waits for, where and with whom. */
export const Row = memo(function Row({ session, pinned = false }: Props) {
  const [, at] = useRoute(SESSION);
  const current = at?.id === session.id;
  return (
    <div className="row-shell">
      <Link
        href={sessionPath(session.id)}
        className={`row ${session.unread ? "unread" : ""}`}
        aria-current={current ? "page" : undefined}
        data-testid="session-row"
        data-session={session.id}
        data-status={session.status}
      >
        <StateIcon session={session} />
        <span className="title">
          {session.unread && <span className="sr">Unread: </span>}
          {session.title}
        </span>
        <Lines added={session.added} removed={session.removed} />
        <span className={`doing tone-${toneOf(session)}`}>
          <Doing session={session} />
        </span>
        <span className="meta">
          {session.pr ? <PrBadge session={session} /> : <Where session={session} />}
          <ConflictBadge session={session.id} />
          {session.cost_usd > 0 && <span>{money(session.cost_usd)}</span>}
          {pinned && <span className="pin">pinned</span>}
        </span>
      </Link>
      <span className="row-ports">
        <Ports session={session} most={2} className="port" />
      </span>
    </div>
  );
});

/** Until there is a pull request, which then says more. */
function Where({ session }: { readonly session: SessionView }) {
  return (
    <>
      <span className="branch">{session.branch}</span>
      <span>{session.agent}</span>
      {addressesOf(session).length === 0 &&
        Object.values(session.ports ?? {})
          .slice(0, 1)
          .map((port) => <span key={port}>:{port}</span>)}
    </>
  );
}

function Doing({ session }: { readonly session: SessionView }) {
  const { doing, worktree } = session;
  const item = session.attention[0];
  switch (session.status) {
    case "waiting":
      if (item === undefined) return "Waits";
      return (
        <>
          <span className="what">{waitsFor(item)}</span>
          <Ago at={item.raised_at} />
        </>
      );
    case "working":
      return (
        <span className="what">
          {doing === null ? "Working" : activity(doing.tool, doing.input, worktree)}
        </span>
      );
    case "queued":
    case "preparing":
    case "unreachable":
      return (
        <span className="what">
          {[stateWord(session), session.reason].filter(Boolean).join(": ")}
        </span>
      );
    case "failed":
      return <span className="what">Failed: {session.error}</span>;
    default:
      return (
        <>
          <span className="what">
            {stateWord(session)}
            {session.files_changed > 0 && ` · ${plural(session.files_changed, "file")}`}
          </span>
          <Ago at={session.updated_at} />
        </>
      );
  }
}

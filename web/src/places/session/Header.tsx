import { Link } from "wouter";
import type { SessionView } from "../../api/types.gen";
import { Ports } from "../../parts/session/Ports";
import { PrBadge } from "../../parts/session/PrBadge";
import { StateIcon, toneOf } from "../../parts/session/StateIcon";
import { stateWord } from "../../parts/session/stateWord";
import { copyText } from "../../state/page/clipboard";
import { SESSIONS } from "../routes";
import { Actions } from "./Actions";
import { BoxChip } from "./BoxChip";
import { Meters } from "./Meters";
import { Picks } from "./Picks";

export function Header({ session }: { readonly session: SessionView }) {
  const from = `from ${session.base}${session.base_commit && ` @ ${session.base_commit.slice(0, 7)}`}`;
  return (
    <header className="head">
      <Link href={SESSIONS} className="back" aria-label="All sessions">
        ‹
      </Link>
      <h1 title={session.title}>{session.title}</h1>
      <span className={`chip state ${toneOf(session)}`} data-testid="state">
        <StateIcon session={session} />
        {stateWord(session)}
      </span>
      <Actions session={session} />
      <div className="facts">
        <button
          type="button"
          className="chip branch"
          title={`${session.branch} ${from}, in ${session.worktree}. Click to copy the path`}
          onClick={() => copyText(session.worktree, "Path")}
        >
          <b>{session.branch}</b>
          <span>{from}</span>
        </button>
        {!session.limited && <Picks session={session} />}
        <BoxChip session={session} />
        <Ports session={session} most={6} className="chip port" />
        <Meters session={session} />
        {session.pr && (
          <span className="chip">
            <PrBadge session={session} />
          </span>
        )}
      </div>
      {session.limited && (
        <p className="limited" role="note">
          {session.limited_note}
        </p>
      )}
      {session.taken && (
        <p className="limited" role="note">
          Taken over in its terminal {session.taken.name}. Messages wait until you give it back.
        </p>
      )}
      {session.error && (
        <p className="trouble" role="alert">
          <b>{session.error}</b> {session.hint}
        </p>
      )}
    </header>
  );
}

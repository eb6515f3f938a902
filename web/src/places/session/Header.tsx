import { Link } from "wouter";
import type { SessionView } from "../../api/types.gen";
import { money } from "../../parts/format";
import { StateIcon, toneOf } from "../../parts/StateIcon";
import { stateWord } from "../../parts/stateWord";
import { SESSIONS } from "../routes";
import { Actions } from "./Actions";
import { ModeSwitch } from "./ModeSwitch";

export function Header({ session }: { readonly session: SessionView }) {
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
      <div className="facts">
        <span className="chip branch" title={`${session.branch} in ${session.worktree}`}>
          <b>{session.branch}</b>
          <span>
            from {session.base}
            {session.base_commit && ` @ ${session.base_commit.slice(0, 7)}`}
          </span>
        </span>
        <ModeSwitch session={session} />
        <span className="chip">
          {session.agent}
          {session.model && <b> {session.model}</b>}
        </span>
        {session.cost_usd > 0 && (
          <span
            className="chip"
            title={`${session.tokens.in} tokens in, ${session.tokens.out} out`}
          >
            <b>{money(session.cost_usd)}</b>
          </span>
        )}
      </div>
      <Actions session={session} />
      {session.error && (
        <p className="trouble" role="alert">
          <b>{session.error}</b> {session.hint}
        </p>
      )}
    </header>
  );
}

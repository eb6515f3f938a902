import { Link } from "wouter";
import type { Attention, SessionView } from "../../api/types.gen";
import { Card } from "../../parts/attention/Card";
import { baseName } from "../../parts/format";
import { Lines } from "../../parts/Lines";
import { sessionPath } from "../routes";

interface Props {
  readonly item: Attention;
  readonly session: SessionView | undefined;
  readonly active: boolean;
  readonly onChoose: () => void;
}

export function InboxItem({ item, session, active, onChoose }: Props) {
  return (
    <article className="inbox-item" onFocus={onChoose} onPointerDown={onChoose}>
      <header>
        <h2>
          <Link href={sessionPath(item.session)}>{session?.title ?? item.session}</Link>
        </h2>
        {session && (
          <span className="where">
            {baseName(session.repo)} · {session.branch} · {session.agent}
          </span>
        )}
        {session && <Lines added={session.added} removed={session.removed} />}
      </header>
      <Card item={item} active={active} worktree={session?.worktree ?? ""} />
    </article>
  );
}

import { Link } from "wouter";
import type { Attention, SessionView } from "../../api/types.gen";
import { Card } from "../../parts/attention/Card";
import { baseName } from "../../parts/format";
import { Lines } from "../../parts/Lines";
import { sessionPath } from "../routes";
import { canSnooze, snoozeItem } from "./snoozing";

interface Props {
  readonly item: Attention;
  readonly session: SessionView | undefined;
  readonly active: boolean;
  readonly onChoose: () => void;
}

const TIMES: readonly (readonly [string, number])[] = [
  ["30 min", 30],
  ["2 h", 120],
  ["a day", 1440],
];

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
        {canSnooze(item) && <Snooze item={item} />}
      </header>
      <Card item={item} active={active} worktree={session?.worktree ?? ""} />
    </article>
  );
}

function Snooze({ item }: { readonly item: Attention }) {
  return (
    <select
      className="snooze"
      aria-label="Put off"
      value=""
      onChange={(event) => snoozeItem(item, Number(event.target.value))}
    >
      <option value="" disabled>
        Put off
      </option>
      {TIMES.map(([label, minutes]) => (
        <option key={minutes} value={minutes}>
          {label}
        </option>
      ))}
    </select>
  );
}

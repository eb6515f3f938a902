import { memo } from "react";
import { Link } from "wouter";
import type { SessionView } from "../../api/types.gen";
import { Card } from "../../parts/attention/Card";
import { money } from "../../parts/format";
import { Lines } from "../../parts/Lines";
import { PrBadge } from "../../parts/session/PrBadge";
import { StateIcon, toneOf } from "../../parts/session/StateIcon";
import { stateWord } from "../../parts/session/stateWord";
import { useGlances } from "../../state/fleet/glances";
import { sessionPath } from "../routes";
import { HunkLines } from "./HunkLines";

interface Props {
  readonly session: SessionView;
  readonly active: boolean;
  readonly onChoose: (id: string) => void;
}

const MOST_FILES = 4;

/** One session on the wall. What waits for a person takes the place of what is going on. */
export const Tile = memo(function Tile({ session, active, onChoose }: Props) {
  const item = session.attention[0];
  const { id } = session;
  const waits = `${session.title} waits for you`;
  return (
    <article
      className={`tile ${toneOf(session)}`}
      aria-label={session.title}
      data-testid="tile"
      data-tile={id}
      data-active={active || undefined}
      onFocus={() => onChoose(id)}
      onPointerDown={() => onChoose(id)}
    >
      <header>
        <StateIcon session={session} />
        <h2>
          <Link href={sessionPath(id)}>{session.title}</Link>
        </h2>
        <Lines added={session.added} removed={session.removed} />
        <p className="meta">
          <span className={`tone-${toneOf(session)}`}>{stateWord(session)}</span>
          <span className="branch">{session.branch}</span>
          <span>{session.agent}</span>
          <PrBadge session={session} />
        </p>
      </header>
      {item === undefined ? (
        <Going session={session} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className="tile-body asks" tabIndex={0} aria-label={waits}>
          <Card item={item} active={active} worktree={session.worktree} />
        </section>
      )}
      <Foot session={session} />
    </article>
  );
});

/** Last words, files, and the latest change. */
function Going({ session }: { readonly session: SessionView }) {
  const glance = useGlances((state) => state.seen[session.id]);
  const files = glance?.files.slice(0, MOST_FILES) ?? [];
  const words = session.error ?? (glance?.words || session.reason);
  return (
    <div className="tile-body">
      {words && <p className={`words ${session.error ? "tone-bad" : ""}`}>{plain(words)}</p>}
      {files.length > 0 && (
        <ul className="tile-files" aria-label="Files being changed">
          {files.map(({ path, added, removed }) => (
            <li key={path}>
              <span>{path}</span>
              <Lines added={added} removed={removed} />
            </li>
          ))}
        </ul>
      )}
      {glance && glance.hunk.length > 0 && <HunkLines lines={glance.hunk} path={glance.hunkPath} />}
    </div>
  );
}

/** Markdown's marks and empty lines say little in four lines. */
function plain(text: string): string {
  return text.replace(/\*\*|`/g, "").replace(/\n\s*\n/g, "\n");
}

function Foot({ session }: { readonly session: SessionView }) {
  const tool = useGlances((state) => state.seen[session.id]?.tool ?? null);
  return (
    <footer>
      {tool && session.attention.length === 0 && (
        <span className="now">
          <b>{tool.name}</b> {tool.on}
        </span>
      )}
      {session.cost_usd > 0 && <span className="cost">{money(session.cost_usd)}</span>}
    </footer>
  );
}

import type { ReactNode } from "react";
import type { SessionView } from "../../api/types.gen";
import { plural } from "../../parts/format";
import { Icon } from "../../parts/Icon";
import { Lines } from "../../parts/Lines";
import { BASE, type SessionDiff, setLook, useDiffs } from "../../state/diff/diffs";
import { useDiffView } from "../../state/diff/diffView";

interface Props {
  readonly session: SessionView;
  readonly diff: SessionDiff;
  readonly reviewed: boolean;
}

/** What is compared, and how it is shown. */
export function Toolbar({ session, diff, reviewed }: Props) {
  const { split, wrap, tree } = useDiffView();
  const { files, more } = diff;
  const look = useDiffs(({ chosen }) => chosen[session.id]) ?? BASE;
  const added = files.reduce((sum, { file }) => sum + file.added, 0);
  const removed = files.reduce((sum, { file }) => sum + file.removed, 0);
  return (
    <div className="diff-bar" role="toolbar" aria-label="Diff">
      <Toggle label="File tree" on={tree} onClick={() => useDiffView.setState({ tree: !tree })}>
        <Icon name="tree" />
      </Toggle>
      <span className="total">
        {plural(files.length + more, "file")}{" "}
        {more > 0 ? "…" : <Lines added={added} removed={removed} />}
      </span>
      <span className="spring" />
      <label className="pick">
        <span>against</span>
        <select
          value={look.against}
          data-testid="against"
          aria-label="Compare against"
          onChange={(event) => setLook(session.id, { ...look, against: event.target.value })}
        >
          <option value={BASE.against}>base ({session.base})</option>
          <option value="review" disabled={!reviewed}>
            last review
          </option>
          <option value="uncommitted">last commit</option>
          {turnsOf(session).map((turn) => (
            <option key={turn} value={`turn:${turn}`}>
              turn {turn}
            </option>
          ))}
        </select>
      </label>
      <Toggle
        label="Ignore white space"
        on={look.ignoreSpace}
        onClick={() => setLook(session.id, { ...look, ignoreSpace: !look.ignoreSpace })}
      >
        <Icon name="space" />
      </Toggle>
      <Toggle
        label="Wrap lines"
        on={wrap || split}
        onClick={() => useDiffView.setState({ wrap: !wrap })}
      >
        <Icon name="wrap" />
      </Toggle>
      <Toggle
        label="Side by side"
        on={split}
        onClick={() => useDiffView.setState({ split: !split })}
      >
        <Icon name="split" />
      </Toggle>
    </div>
  );
}

const MOST_TURNS = 40;

function turnsOf(session: SessionView): number[] {
  const done = session.status === "working" ? session.turn - 1 : session.turn;
  return Array.from({ length: Math.min(done, MOST_TURNS) }, (_, n) => done - n);
}

interface ToggleProps {
  readonly label: string;
  readonly on: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Toggle({ label, on, onClick, children }: ToggleProps) {
  return (
    <button
      type="button"
      className="tool"
      aria-pressed={on}
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

import { memo } from "react";
import { languageOf } from "../../../parts/code/highlight";
import { Icon } from "../../../parts/Icon";
import type { FileDiff } from "../../../state/diff/diffFiles";
import type { Hunk, PatchLine } from "../../../state/diff/patch";
import { type Place, useActions } from "../actions";
import { CodeText } from "./CodeText";
import type { Group, PairRow as Pair, LineRow as Row } from "./rows";
import { marksOf } from "./words";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const WORDS = { same: "", added: "added ", removed: "removed " } as const;

interface Props<T> {
  readonly row: T;
  readonly diff: FileDiff;
  readonly picked: string;
}

export const LineRow = memo(function LineRow({ row, diff, picked }: Props<Row>) {
  const { line, pair } = row;
  const { path } = diff.file;
  return (
    <div className={`line ${line.kind} ${picked}`} data-testid="diff-line" data-line={line.after}>
      <Gutter place={placeOf(path, line)}>
        <i>{line.before}</i>
        <i>{line.after}</i>
      </Gutter>
      <Sign line={line} />
      <code>
        <CodeText line={line} hunk={row.hunk} lang={languageOf(path)} marks={marksOf(line, pair)} />
      </code>
      {row.head !== null && <Revert diff={diff} group={row.head} />}
    </div>
  );
});

export const PairRow = memo(function PairRow({ row, diff, picked }: Props<Pair>) {
  const { left, right, hunk } = row;
  const { path } = diff.file;
  const against = left?.kind === "removed" && right?.kind === "added";
  return (
    <div className={`pair ${picked}`} data-testid="diff-line" data-line={right?.after}>
      <Half {...{ path, hunk }} line={left} pair={against ? right : null} side="old" />
      <Half {...{ path, hunk }} line={right} pair={against ? left : null} side="new" />
      {row.head !== null && <Revert diff={diff} group={row.head} />}
    </div>
  );
});

interface HalfProps {
  readonly line: PatchLine | null;
  readonly pair: PatchLine | null;
  readonly hunk: Hunk | null;
  readonly path: string;
  readonly side: "old" | "new";
}

function Half({ line, pair, hunk, path, side }: HalfProps) {
  if (line === null) return <div className="half void" />;
  const place = side === "old" && line.kind === "same" ? null : placeOf(path, line);
  return (
    <div className={`half ${line.kind}`}>
      <Gutter place={place}>
        <i>{side === "old" ? line.before : line.after}</i>
      </Gutter>
      <Sign line={line} />
      <code>
        <CodeText line={line} hunk={hunk} lang={languageOf(path)} marks={marksOf(line, pair)} />
      </code>
    </div>
  );
}

function Sign({ line }: { readonly line: PatchLine }) {
  return (
    <span className="sign">
      <span className="sr">{WORDS[line.kind]}</span>
      <span aria-hidden="true">{SIGNS[line.kind]}</span>
    </span>
  );
}

export function placeOf(path: string, line: PatchLine): Place {
  return line.kind === "removed"
    ? { path, side: "old", line: line.before ?? 0 }
    : { path, side: "new", line: line.after ?? 0 };
}

interface GutterProps {
  readonly place: Place | null;
  readonly children: React.ReactNode;
}

/** Numbers; the mark that comes up over them begins a comment, drawn along a range of lines. */
function Gutter({ place, children }: GutterProps) {
  const { pick } = useActions();
  if (place === null) return <span className="gutter">{children}</span>;
  return (
    <span className="gutter" onPointerEnter={() => pick(place, false)}>
      {children}
      <button
        type="button"
        className="add-comment"
        tabIndex={-1}
        aria-label={`Comment on line ${place.line}`}
        onPointerDown={(event) => {
          event.currentTarget.releasePointerCapture(event.pointerId);
          pick(place, true);
        }}
      >
        +
      </button>
    </span>
  );
}

function Revert({ diff, group }: { readonly diff: FileDiff; readonly group: Group }) {
  const { isNow, revert } = useActions();
  if (!isNow) return null;
  return (
    <button
      type="button"
      className="tool revert-hunk"
      tabIndex={-1}
      title="Revert this change (a checkpoint is made first)"
      aria-label="Revert this change"
      onClick={() => revert(diff, group)}
    >
      <Icon name="revert" />
    </button>
  );
}

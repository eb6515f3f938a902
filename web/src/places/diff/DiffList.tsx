import {
  memo,
  type ReactNode,
  startTransition,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { FileDiff } from "../../state/diff/diffFiles";
import { wantPatches } from "../../state/diff/diffs";
import { FileHead } from "./files/FileHead";
import { type Block, isMeasured, type Layout, type Placed, placeAt, rowsBetween } from "./layout";
import { GapRow } from "./rows/GapRow";
import { LineRow, PairRow } from "./rows/LineRow";
import { Measured } from "./rows/Measured";
import { NoteRow } from "./rows/NoteRow";
import type { Row } from "./rows/rows";
import { Thread } from "./rows/Thread";
import { steadyTop } from "./steady";

interface Props {
  readonly session: string;
  readonly layout: Layout;
  readonly since: ReadonlyMap<string, FileDiff>;
  readonly forced: ReadonlySet<string>;
  readonly wrap: boolean;
  /** Of another shape every row is drawn, and measured, anew. */
  readonly shape: string;
  readonly picked: (placed: Placed) => string;
  readonly measure: (path: string, row: Row, height: number) => void;
  readonly scroller: React.RefObject<HTMLDivElement | null>;
  readonly onCurrent: (path: string, atEnd: boolean) => void;
}

const OVERSCAN = 240;

/** All files under one another, of which only what is in sight is drawn. */
export const DiffList = memo(function DiffList(props: Props) {
  const { layout, scroller, wrap, onCurrent, session } = props;
  const [top, setTop] = useState(0);
  const height = useHeight(scroller);
  useSteady(layout, scroller, setTop);
  const rows = useMemo(
    () => rowsBetween(layout, top - OVERSCAN, top + height + OVERSCAN),
    [layout, top, height],
  );
  useWanted(session, rows, layout, props.forced);
  const place = placeAt(layout.tops, top + 1);
  const path = layout.blocks[place]?.path ?? "";
  const atEnd = top + height >= layout.height - 1;
  useEffect(() => startTransition(() => onCurrent(path, atEnd)), [path, atEnd, onCurrent]);
  const head = layout.blocks[place]?.diff;
  const first = layout.blocks[place]?.rows[0];
  return (
    <section
      className={`hunks ${wrap ? "wrap" : ""}`}
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      aria-label="Diff"
      data-testid="hunks"
      onScroll={({ currentTarget }) => {
        const { scrollTop } = currentTarget;
        // Drawn in slices: a fling never holds the page up.
        startTransition(() => setTop(scrollTop));
      }}
    >
      <div className="pinned">
        {head && first?.kind === "file" && (
          <FileHead diff={head} folded={first.folded} showsSince={props.since.has(path)} />
        )}
      </div>
      <div
        key={props.shape}
        className="hunks-inner"
        style={{
          height: layout.height,
          ["--widest" as string]: wrap ? undefined : `${layout.width}ch`,
        }}
      >
        {rows
          // The pinned head is that of the first file in sight.
          .filter(({ row }) => row.kind !== "file" || row.diff.file.path !== path)
          .map((placed) => (
            <PlacedRow key={placed.row.key} placed={placed} {...props} />
          ))}
      </div>
    </section>
  );
});

function PlacedRow(props: Props & { readonly placed: Placed }) {
  const { placed, wrap, measure } = props;
  const { row, path, top } = placed;
  const style = { top };
  const inner = content(props);
  if (!isMeasured(row, wrap)) {
    return (
      <div className={`diff-row of-${row.kind}`} style={style}>
        {inner}
      </div>
    );
  }
  return (
    <Measured
      className={`diff-row of-${row.kind}`}
      style={style}
      onHeight={(height) => measure(path, row, height)}
    >
      {inner}
    </Measured>
  );
}

function content({ placed, since, picked }: Props & { readonly placed: Placed }): ReactNode {
  const { row, path, diff } = placed;
  if (row.kind === "thread") return <Thread comments={row.comments} label={row.label} />;
  if (diff === null) return null;
  switch (row.kind) {
    case "file":
      return <FileHead diff={row.diff} folded={row.folded} showsSince={since.has(path)} />;
    case "gap":
      return <GapRow diff={diff} gap={row.gap} title={row.title} />;
    case "line":
      return <LineRow row={row} diff={diff} picked={picked(placed)} />;
    case "pair":
      return <PairRow row={row} diff={diff} picked={picked(placed)} />;
    case "note":
      return <NoteRow diff={diff} note={row.note} />;
    case "waiting":
      return <p className="diff-note">Loading…</p>;
  }
}

function useHeight(scroller: Props["scroller"]): number {
  const [height, setHeight] = useState(900);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return height;
}

/** Rows may come and go, and turn out taller than thought; what is read stays where it is. */
function useSteady(
  layout: Layout,
  scroller: Props["scroller"],
  setTop: (top: number) => void,
): void {
  const before = useRef(layout);
  useLayoutEffect(() => {
    const old = before.current;
    before.current = layout;
    const element = scroller.current;
    if (element === null || old === layout) return;
    const next = steadyTop(old, layout, element.scrollTop);
    const moved = Math.abs(next - element.scrollTop);
    if (moved >= 1) element.scrollTop = next;
    const follow = () => setTop(element.scrollTop);
    // Rows drawn beyond the sight cover a small move; only a large one must be drawn at once.
    if (moved > OVERSCAN / 2) follow();
    else startTransition(follow);
  }, [layout, scroller, setTop]);
}

/** Patches of the files in sight and near it are asked for; of a few files all are. */
function useWanted(
  session: string,
  rows: readonly Placed[],
  layout: Layout,
  forced: ReadonlySet<string>,
): void {
  const wanted = useMemo(() => {
    const near = layout.blocks.length <= MOST_AHEAD ? layout.blocks : blocksNear(layout, rows);
    const lacking = near.filter(({ path, diff }) => {
      if (diff === null || diff.loaded) return false;
      return !diff.file.binary && (!diff.file.generated || forced.has(path));
    });
    return lacking.map(({ path }) => path);
  }, [rows, layout, forced]);
  useEffect(() => {
    if (wanted.length > 0) wantPatches(session, wanted);
  }, [session, wanted]);
}

const MOST_AHEAD = 80;
const FILES_BEFORE = 4;
const FILES_AFTER = 12;

function blocksNear({ blocks, tops }: Layout, rows: readonly Placed[]): readonly Block[] {
  const first = placeAt(tops, rows[0]?.top ?? 0);
  const last = placeAt(tops, rows.at(-1)?.top ?? 0);
  return blocks.slice(Math.max(0, first - FILES_BEFORE), last + 1 + FILES_AFTER);
}

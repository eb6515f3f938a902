import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useEffectEvent, useMemo, useRef } from "react";
import type { FileDiff } from "../../state/diffs";
import { DiffRow } from "./DiffRow";
import { FileHead } from "./FileHead";
import { type FileRow, HEIGHTS, type Row, rowsOf, widest } from "./rows";
import { useSteadyScroll } from "./useSteadyScroll";

interface Props {
  readonly files: readonly FileDiff[];
  readonly folded: ReadonlySet<string>;
  readonly target: { readonly path: string } | null;
  readonly onFold: (path: string) => void;
  readonly onCurrent: (path: string) => void;
}

/** All files under one another; the head of the file in sight stays at the top. */
export function DiffLines({ files, folded, target, onFold, onCurrent }: Props) {
  const rows = useMemo(() => rowsOf(files, folded), [files, folded]);
  const width = useMemo(() => widest(rows), [rows]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (place) => HEIGHTS[rows[place]?.kind ?? "line"],
    getItemKey: useCallback((place: number) => rows[place]?.key ?? place, [rows]),
    overscan: 20,
  });
  useSteadyScroll(rows, list, scroller);
  const showTarget = useEffectEvent((path: string) => {
    const place = rows.findIndex((row) => row.key === `file ${path}`);
    if (place >= 0) list.scrollToIndex(place, { align: "start" });
  });
  useEffect(() => {
    if (target !== null) showTarget(target.path);
  }, [target]);
  const head = headAt(rows, list.getVirtualItemForOffset(list.scrollOffset ?? 0)?.index ?? 0);
  const path = head?.diff.file.path ?? "";
  useEffect(() => onCurrent(path), [path, onCurrent]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="hunks" ref={scroller} tabIndex={0} aria-label="Diff">
      {head && (
        <div className="pinned">
          <FileHead row={head} onFold={onFold} />
        </div>
      )}
      <div
        className="hunks-inner"
        style={{ height: list.getTotalSize(), minWidth: `calc(${width}ch + 80px)` }}
      >
        {list.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <DiffRow key={item.key} row={row} top={item.start} onFold={onFold} />
          );
        })}
      </div>
    </section>
  );
}

/** The head of the file that the row at `place` belongs to. */
function headAt(rows: readonly Row[], place: number): FileRow | null {
  for (let at = Math.min(place, rows.length - 1); at >= 0; at--) {
    const row = rows[at];
    if (row?.kind === "file") return row;
  }
  return null;
}

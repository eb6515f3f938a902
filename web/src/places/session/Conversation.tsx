import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef } from "react";
import type { SessionView } from "../../api/types.gen";
import { EMPTY } from "../../state/conversation";
import { useConversations } from "../../state/conversations";
import { Entry } from "./Entry";
import { entriesOf } from "./entries";
import { Preparing } from "./Preparing";
import { useEndInSight } from "./useEndInSight";
import "./conversation.css";

const USUAL_HEIGHT = 44;
const NEAR_END = 80;

/** The dialogue. It stays at its end while one reads there, and never moves under who reads above. */
export function Conversation({ session }: { readonly session: SessionView }) {
  const conversation = useConversations((state) => state.open[session.id]);
  const { items, saying } = conversation ?? EMPTY;
  const entries = useMemo(() => entriesOf(items, saying), [items, saying]);
  const open = session.attention[0]?.id;
  const pinned = useMemo(() => entries.findIndex((entry) => entry.id === open), [entries, open]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => USUAL_HEIGHT,
    getItemKey: useCallback((place: number) => entries[place]?.id ?? place, [entries]),
    rangeExtractor: useCallback((range: Range) => withPinned(range, pinned), [pinned]),
    overscan: 8,
    paddingStart: 14,
    paddingEnd: 14,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: NEAR_END,
  });
  const loaded = conversation !== undefined;
  useEffect(() => {
    if (loaded) list.scrollToEnd();
  }, [loaded, list]);
  useEndInSight(scroller, list);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <div className="flow" ref={scroller} tabIndex={0} role="log" aria-label="Messages">
      {loaded && entries.length === 0 && <Preparing session={session} />}
      <div className="flow-inner" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map((row) => {
          const entry = entries[row.index];
          if (entry === undefined) return null;
          return (
            <div
              key={row.key}
              ref={list.measureElement}
              data-index={row.index}
              className={`entry ${entry.nested ? "nested" : ""} ${entry.item?.kind ?? ""}`}
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <Entry
                entry={entry}
                worktree={session.worktree}
                active={entry.id === open}
                waits={session.status === "waiting"}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The open item stays on the page wherever one reads, so that its keys work and its words are kept. */
function withPinned(range: Range, pinned: number): number[] {
  const shown = defaultRangeExtractor(range);
  if (pinned < 0 || shown.includes(pinned)) return shown;
  return [...shown, pinned].sort((a, b) => a - b);
}

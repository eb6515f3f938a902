import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef } from "react";
import type { SessionView } from "../../api/types.gen";
import { EMPTY, type Conversation as Words } from "../../state/session/conversation";
import { useLevel, useOpened } from "../../state/session/opened";
import { useWords } from "../../state/session/talks";
import { EntryView } from "./Entry";
import { type Entry, entriesOf, sayingEntries } from "./entries";
import { heightOf } from "./heights";
import { Preparing } from "./Preparing";
import { ToEnd } from "./ToEnd";
import { useEndInSight } from "./useEndInSight";
import { useTurnKeys } from "./useTurnKeys";

const NEAR_END = 80;

interface Props {
  readonly session: SessionView;
  readonly talk: string;
}

/** The dialogue. It stays at its end while one reads there, and never moves under who reads above. */
export function Conversation({ session, talk }: Props) {
  const conversation = useWords(session.id, talk);
  const entries = useEntries(conversation ?? EMPTY);
  const open = session.attention[0]?.id;
  const pinned = useMemo(() => entries.findIndex((entry) => entry.id === open), [entries, open]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback((place: number) => heightOf(entries[place]), [entries]),
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
  useTurnKeys(entries, list);
  // From what the list knows: asking the page itself would lay it out anew with every scroll.
  const below =
    list.getTotalSize() - (list.scrollOffset ?? 0) - (list.scrollRect?.height ?? Infinity);
  return (
    <div className="flow-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
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
                data-depth={Math.min(entry.depth, 4)}
                className={`entry ${classOf(entry)}`}
                style={{ transform: `translateY(${row.start}px)` }}
              >
                <EntryView entry={entry} session={session} active={entry.id === open} />
              </div>
            );
          })}
        </div>
      </div>
      <ToEnd below={below} count={entries.length} onGo={() => list.scrollToEnd()} />
    </div>
  );
}

/** What is being said changes with every frame, what was said does not: each is made apart. */
function useEntries({ items, saying }: Words): readonly Entry[] {
  const level = useLevel((state) => state.level);
  const opened = useOpened((state) => state.opened);
  const past = useMemo(() => entriesOf(items, level, opened), [items, level, opened]);
  return useMemo(() => [...past, ...sayingEntries(saying, level)], [past, saying, level]);
}

function classOf(entry: Entry): string {
  return entry.kind === "item" ? entry.item.kind : entry.kind;
}

/** The open item stays on the page wherever one reads, so that its keys work and its words are kept. */
function withPinned(range: Range, pinned: number): number[] {
  const shown = defaultRangeExtractor(range);
  if (pinned < 0 || shown.includes(pinned)) return shown;
  return [...shown, pinned].sort((a, b) => a - b);
}

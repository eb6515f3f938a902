import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import "./rows.css";

interface Props<T> {
  readonly label: string;
  readonly className?: string;
  readonly rows: readonly T[];
  /** Of a row that is not measured yet. */
  readonly height: number;
  readonly render: (row: T, place: number) => ReactNode;
}

/** A long list of which only what is in sight is on the page. */
export function VirtualRows<T>({ label, className = "", rows, height, render }: Props<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section ref={scroller} className={`rows ${className}`} aria-label={label} tabIndex={0}>
      <div style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <div
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="row-at"
                style={{ transform: `translateY(${start}px)` }}
              >
                {render(row, index)}
              </div>
            )
          );
        })}
      </div>
    </section>
  );
}

import { useEffect, useMemo, useRef, useState } from "react";
import type { UsageCell } from "../../api/insight";
import { count, money, span } from "../../parts/format";
import { daysOf, type Measure, type Row } from "../../state/usage";
import { drawBars } from "./plot";
import { niceTop } from "./scale";

interface Props {
  readonly cells: readonly UsageCell[];
  readonly last: string;
  readonly days: number;
  readonly measure: Measure;
}

interface Part {
  readonly name: string;
  readonly look: string;
  readonly colour: string;
  readonly of: (row: Row) => number;
}

const PARTS: Readonly<Record<Measure, readonly Part[]>> = {
  cost: [{ name: "cost", look: "bar-main", colour: "--accent", of: (row) => row.cost_usd }],
  tokens: [
    { name: "in", look: "bar-main", colour: "--accent", of: (row) => row.tokens_in },
    { name: "out", look: "bar-other", colour: "--ok", of: (row) => row.tokens_out },
  ],
  time: [
    { name: "working", look: "bar-main", colour: "--accent", of: (row) => row.working_seconds },
    { name: "waiting", look: "bar-wait", colour: "--wait-line", of: (row) => row.waiting_seconds },
  ],
};
const TEXT: Readonly<Record<Measure, (value: number) => string>> = {
  cost: money,
  tokens: count,
  time: span,
};

/** A bar per day. Each can be pointed at; the table below says the same in words. */
export function Days({ cells, last, days, measure }: Props) {
  const rows = useMemo(() => daysOf(cells, last, days), [cells, last, days]);
  const [at, setAt] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const [parts, words] = [PARTS[measure], TEXT[measure]];
  useEffect(() => {
    if (box.current === null) return undefined;
    const most = Math.max(...rows.map((day) => totalOf(day, parts)));
    const bars = {
      parts: parts.map(({ colour, of }) => ({ colour, values: rows.map(of) })),
      names: rows.map(({ key }) => shortDay(key)),
      top: niceTop(most, measure === "time" ? 60 : 10),
      words,
    };
    return drawBars(box.current, bars, setAt);
  }, [rows, measure, parts, words]);
  const row = at === null ? undefined : rows[at];
  return (
    <figure className="days" data-testid="days">
      <div ref={box} role="img" aria-label={summary(rows, words, parts)} />
      <figcaption>
        {parts.length > 1 &&
          parts.map(({ name, look }) => (
            <span key={name} className="key">
              <i className={look} aria-hidden="true" />
              {name}
            </span>
          ))}
        <span className="pointed">
          {row &&
            `${longDay(row.key)}: ${parts.map((p) => `${words(p.of(row))} ${p.name}`).join(", ")}`}
        </span>
      </figcaption>
    </figure>
  );
}

const totalOf = (row: Row, parts: readonly Part[]) =>
  parts.reduce((sum, part) => sum + part.of(row), 0);

function summary(rows: readonly Row[], words: (n: number) => string, parts: readonly Part[]) {
  const total = (row: Row) => totalOf(row, parts);
  const sum = rows.reduce((all, row) => all + total(row), 0);
  const most = rows.reduce((a, b) => (total(b) > total(a) ? b : a));
  return `${rows.length} days, ${words(sum)} in all, most on ${longDay(most.key)}: ${words(total(most))}`;
}

function shortDay(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, {
    month: "short",
    day: "numeric",
    timeZone: "UTC",
  });
}

function longDay(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, {
    weekday: "short",
    month: "short",
    day: "numeric",
    timeZone: "UTC",
  });
}

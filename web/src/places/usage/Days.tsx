import { useMemo, useState } from "react";
import type { UsageCell } from "../../api/insight";
import { count, money, span } from "../../parts/format";
import { daysOf, type Measure, type Row } from "../../state/usage";
import { niceTop, ticksOf } from "./scale";

interface Props {
  readonly cells: readonly UsageCell[];
  readonly last: string;
  readonly days: number;
  readonly measure: Measure;
}

interface Part {
  readonly name: string;
  readonly look: string;
  readonly of: (row: Row) => number;
}

const PARTS: Readonly<Record<Measure, readonly Part[]>> = {
  cost: [{ name: "cost", look: "bar-main", of: (row) => row.cost_usd }],
  tokens: [
    { name: "in", look: "bar-main", of: (row) => row.tokens_in },
    { name: "out", look: "bar-other", of: (row) => row.tokens_out },
  ],
  time: [
    { name: "working", look: "bar-main", of: (row) => row.working_seconds },
    { name: "waiting", look: "bar-wait", of: (row) => row.waiting_seconds },
  ],
};
const TEXT: Readonly<Record<Measure, (value: number) => string>> = {
  cost: money,
  tokens: count,
  time: span,
};
const WIDTH = 960;
const HEIGHT = 180;
const LEFT = 64;
const BELOW = 22;

/** A bar per day. Each can be pointed at; the table below says the same in words. */
export function Days({ cells, last, days, measure }: Props) {
  const rows = useMemo(() => daysOf(cells, last, days), [cells, last, days]);
  const [at, setAt] = useState<number | null>(null);
  const parts = PARTS[measure];
  const total = (row: Row) => parts.reduce((sum, part) => sum + part.of(row), 0);
  const top = niceTop(Math.max(...rows.map(total)), measure === "time" ? 60 : 10);
  const step = (WIDTH - LEFT) / rows.length;
  const y = (value: number) => HEIGHT - (value / top) * (HEIGHT - 8);
  const row = at === null ? undefined : rows[at];
  const words = TEXT[measure];
  return (
    <figure className="days" data-testid="days">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT + BELOW}`}
        role="img"
        aria-label={summary(rows, words, total)}
      >
        {ticksOf(top).map((tick) => (
          <g key={tick} className="tick">
            <line x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4}>
              {words(tick)}
            </text>
          </g>
        ))}
        {rows.map((day, place) => (
          <g
            key={day.key}
            className="day"
            data-at={place === at}
            onPointerEnter={() => setAt(place)}
            onPointerLeave={() => setAt(null)}
          >
            <rect className="column" x={LEFT + place * step} y={0} width={step} height={HEIGHT} />
            <Bars day={day} parts={parts} x={LEFT + place * step} step={step} y={y} />
            {isLabelled(place, rows.length) && (
              <text
                className={place === rows.length - 1 ? "last" : undefined}
                x={place === rows.length - 1 ? WIDTH : LEFT + (place + 0.5) * step}
                y={HEIGHT + 16}
              >
                {shortDay(day.key)}
              </text>
            )}
          </g>
        ))}
      </svg>
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

interface BarsProps {
  readonly day: Row;
  readonly parts: readonly Part[];
  readonly x: number;
  readonly step: number;
  readonly y: (value: number) => number;
}

function Bars({ day, parts, x, step, y }: BarsProps) {
  const width = Math.min(36, Math.max(2, step * 0.72));
  let below = 0;
  return parts.map(({ name, look, of }) => {
    const from = below;
    below += of(day);
    const height = y(from) - y(below);
    if (height <= 0) return null;
    const left = x + (step - width) / 2;
    return (
      <rect
        key={name}
        className={look}
        x={left}
        y={y(below)}
        width={width}
        height={height}
        rx="1.5"
      />
    );
  });
}

function summary(rows: readonly Row[], words: (n: number) => string, total: (row: Row) => number) {
  const sum = rows.reduce((all, row) => all + total(row), 0);
  const most = rows.reduce((a, b) => (total(b) > total(a) ? b : a));
  return `${rows.length} days, ${words(sum)} in all, most on ${longDay(most.key)}: ${words(total(most))}`;
}

/** About eight names fit, and today's always stands. */
function isLabelled(place: number, many: number): boolean {
  const every = Math.max(1, Math.ceil(many / 8));
  return (many - 1 - place) % every === 0;
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

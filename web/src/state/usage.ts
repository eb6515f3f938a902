/** Sums over usage: by day for a plot, by anything for a table, and as text to take away. */

import type { UsageCell } from "../api/insight";

export const GROUPS = ["repo", "agent", "model", "session"] as const;
export type Group = (typeof GROUPS)[number];
export const MEASURES = ["cost", "tokens", "time"] as const;
export type Measure = (typeof MEASURES)[number];

export interface Sums {
  readonly turns: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_usd: number;
  readonly working_seconds: number;
  readonly waiting_seconds: number;
}

export interface Row extends Sums {
  readonly key: string;
  readonly label: string;
}

const FIELDS = [
  "turns",
  "tokens_in",
  "tokens_out",
  "cost_usd",
  "working_seconds",
  "waiting_seconds",
] as const;
const NOTHING: Sums = {
  turns: 0,
  tokens_in: 0,
  tokens_out: 0,
  cost_usd: 0,
  working_seconds: 0,
  waiting_seconds: 0,
};

export function sumOf(cells: readonly Sums[]): Sums {
  return cells.reduce((sum, cell) => added(sum, cell), NOTHING);
}

/** One row per thing, the dearest first. */
export function rowsBy(cells: readonly UsageCell[], group: Group): Row[] {
  const rows = new Map<string, Row>();
  for (const cell of cells) {
    const key = cell[group] || "unknown";
    const label = group === "session" ? cell.title || cell.session : key;
    const before = rows.get(key) ?? { key, label, ...NOTHING };
    rows.set(key, { ...before, ...added(before, cell) });
  }
  return [...rows.values()].sort(
    (a, b) => b.cost_usd - a.cost_usd || b.working_seconds - a.working_seconds,
  );
}

/** Every day of the span with its sums, those without any use too; oldest first. */
export function daysOf(cells: readonly UsageCell[], last: string, count: number): Row[] {
  const byDay = new Map<string, UsageCell[]>();
  for (const cell of cells) byDay.set(cell.day, [...(byDay.get(cell.day) ?? []), cell]);
  return Array.from({ length: count }, (_, back) => {
    const day = dayBefore(last, count - 1 - back);
    return { key: day, label: day, ...sumOf(byDay.get(day) ?? []) };
  });
}

/** Days are names on a calendar: reckoned in UTC they never lose an hour. */
export function dayBefore(day: string, back: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - back);
  return at.toISOString().slice(0, 10);
}

export function today(now = new Date()): string {
  const two = (part: number) => `${part}`.padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** How many days there are from the first use to the last day, both counted. */
export function spanOf(cells: readonly UsageCell[], last: string): number {
  const first = cells[0]?.day ?? last;
  const span = (Date.parse(last) - Date.parse(first)) / 86_400_000;
  return Math.max(1, Math.round(span) + 1);
}

/** For a spreadsheet; a title that begins like a formula is kept text. */
export function csvOf(cells: readonly UsageCell[]): string {
  const columns = ["day", "session", "title", "repo", "agent", "model", ...FIELDS] as const;
  const lines = cells.map((cell) => columns.map((name) => quoted(cell[name])).join(","));
  return [columns.join(","), ...lines, ""].join("\r\n");
}

function quoted(value: string | number): string {
  const text = typeof value === "string" && /^[=+\-@\t]/.test(value) ? `'${value}` : `${value}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function added(a: Sums, b: Sums): Sums {
  return Object.fromEntries(FIELDS.map((name) => [name, a[name] + b[name]])) as unknown as Sums;
}

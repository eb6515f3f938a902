/**
 * What the conversation shows, row by row: what happened, then what is being said.
 *
 * The work of a sub-agent stands under the call that started it. On the level `brief` the steps
 * between two words are one row that opens.
 */

import type { Item, Saying, ToolItem } from "../../state/session/conversation";
import type { Level } from "../../state/session/opened";

export type Entry = { readonly id: string; readonly depth: number } & (
  | { readonly kind: "item"; readonly item: Item; readonly open: boolean; readonly under: number }
  | { readonly kind: "steps"; readonly items: readonly Item[]; readonly open: boolean }
  | { readonly kind: "saying"; readonly saying: Saying }
);

type Opened = Readonly<Record<string, boolean>>;

/** Calls that only ask a person: the question itself stands in the conversation. */
const ASKING = new Set(["AskUserQuestion", "ExitPlanMode"]);

export function entriesOf(items: readonly Item[], level: Level, opened: Opened): Entry[] {
  const children = childrenOf(items);
  const rows: Entry[] = [];
  const add = (list: readonly Item[], depth: number): void => {
    for (const part of level === "brief" ? runsOf(list) : list) {
      if (!Array.isArray(part)) addItem(part as Item, depth);
      else addSteps(part as readonly Item[], depth);
    }
  };
  const addItem = (item: Item, depth: number): void => {
    const own = children.under.get(item.id) ?? [];
    const open = opened[item.id] ?? opensItself(item, level, own.length > 0);
    rows.push(entryOf(item, depth, open, own.length));
    if (open && own.length > 0) add(own, depth + 1);
  };
  const addSteps = (steps: readonly Item[], depth: number): void => {
    const id = `steps-${steps[0]?.id ?? ""}`;
    const open = opened[id] ?? false;
    rows.push({ id, depth, kind: "steps", items: steps, open });
    if (open) for (const step of steps) addItem(step, depth + 1);
  };
  add(children.top, 0);
  return rows;
}

/** What was made for an item lately: of thousands hardly one changes with an event. */
const made = new WeakMap<Item, Entry>();

function entryOf(item: Item, depth: number, open: boolean, under: number): Entry {
  const before = made.get(item);
  const same = before?.kind === "item" && before.depth === depth && before.open === open;
  if (same && before.under === under) return before;
  const entry: Entry = { id: item.id, depth, kind: "item", item, open, under };
  made.set(item, entry);
  return entry;
}

export function sayingEntries(saying: readonly Saying[], level: Level): Entry[] {
  return saying
    .filter(({ thinking, parent }) => level !== "brief" || (!thinking && parent === ""))
    .map((words) => ({
      id: words.id,
      depth: words.parent === "" ? 0 : 1,
      kind: "saying",
      saying: words,
    }));
}

function childrenOf(items: readonly Item[]): { top: Item[]; under: Map<string, Item[]> } {
  const calls = new Set(items.filter(isTool).map(({ id }) => id));
  const under = new Map<string, Item[]>();
  const top: Item[] = [];
  for (const item of items) {
    if (isTool(item) && ASKING.has(item.tool)) continue;
    const parent = "parent" in item ? item.parent : "";
    if (parent === "" || !calls.has(parent)) {
      top.push(item);
      continue;
    }
    const siblings = under.get(parent) ?? [];
    siblings.push(item);
    under.set(parent, siblings);
  }
  return { top, under };
}

/** A sub-agent's work is open while it runs; everything is on the level `full`. */
function opensItself(item: Item, level: Level, delegates: boolean): boolean {
  if (item.kind === "tool" && delegates) return level === "full" || item.output === null;
  return level === "full" && (item.kind === "tool" || item.kind === "thought");
}

/** The list with steps that follow each other gathered; quiet notes go with the steps around them. */
function runsOf(items: readonly Item[]): (Item | readonly Item[])[] {
  return gathered(items).flatMap((part) => (isNotes(part) ? part : [part]));
}

function isNotes(part: Item | readonly Item[]): part is readonly Item[] {
  return Array.isArray(part) && part.every(({ kind }: Item) => kind === "note");
}

function gathered(items: readonly Item[]): (Item | readonly Item[])[] {
  const parts: (Item | Item[])[] = [];
  for (const item of items) {
    const last = parts.at(-1);
    if (!isStep(item)) parts.push(item);
    else if (Array.isArray(last)) last.push(item);
    else parts.push([item]);
  }
  return parts;
}

function isStep(item: Item): boolean {
  return item.kind === "tool" || item.kind === "thought" || (item.kind === "note" && !item.bad);
}

export function isTool(item: Item): item is ToolItem {
  return item.kind === "tool";
}

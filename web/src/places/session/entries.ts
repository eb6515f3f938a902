/** What the conversation shows, in order: what happened, then what is being said. */

import type { Item, Saying } from "../../state/conversation";

export type Entry =
  | { readonly id: string; readonly nested: boolean; readonly item: Item; readonly saying: null }
  | { readonly id: string; readonly nested: boolean; readonly item: null; readonly saying: Saying };

export function entriesOf(items: readonly Item[], saying: readonly Saying[]): Entry[] {
  return [
    ...items
      .filter(isShown)
      .map((item): Entry => ({ id: item.id, nested: isNested(item), item, saying: null })),
    ...saying.map((words): Entry => {
      return { id: words.id, nested: words.parent !== "", item: null, saying: words };
    }),
  ];
}

/** Calls that only ask a person: the question itself stands in the conversation. */
const ASKING = new Set(["AskUserQuestion", "ExitPlanMode"]);

function isShown(item: Item): boolean {
  return item.kind !== "tool" || !ASKING.has(item.tool);
}

/** The work of a sub-agent stands under the call that started it. */
function isNested(item: Item): boolean {
  return "parent" in item && item.parent !== "";
}

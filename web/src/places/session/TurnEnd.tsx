import { duration, money } from "../../parts/format";
import type { Item } from "../../state/conversation";

const WORDS = { done: "done", interrupted: "stopped", failed: "failed" } as const;

/** The line at a turn's end. */
export function TurnEnd({ item }: { readonly item: Extract<Item, { kind: "turn" }> }) {
  const parts = [
    `Turn ${item.turn} ${WORDS[item.outcome]}`,
    item.seconds > 0 ? duration(item.seconds) : "",
    item.usd > 0 ? money(item.usd) : "",
  ];
  return (
    <div className={`turn-end ${item.outcome}`} data-testid="turn-end" data-outcome={item.outcome}>
      <span>{parts.filter(Boolean).join(" · ")}</span>
      {item.error && <p className="tone-bad">{item.error}</p>}
    </div>
  );
}

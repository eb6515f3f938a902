import type { UsageCell } from "../../api/insight";
import { count, money, span } from "../../parts/format";
import { sumOf } from "../../state/usage";

/** The span in six numbers. */
export function Totals({ cells }: { readonly cells: readonly UsageCell[] }) {
  const sum = sumOf(cells);
  const sessions = new Set(cells.map(({ session }) => session)).size;
  const figures: readonly (readonly [string, string, string])[] = [
    ["Cost", money(sum.cost_usd), `${sum.cost_usd} USD`],
    ["Tokens in", count(sum.tokens_in), `${sum.tokens_in}`],
    ["Tokens out", count(sum.tokens_out), `${sum.tokens_out}`],
    ["Working", span(sum.working_seconds), "time in turns"],
    ["Waiting for you", span(sum.waiting_seconds), "time in which something was asked"],
    ["Turns", `${sum.turns}`, `in ${sessions} sessions`],
  ];
  return (
    <dl className="totals" data-testid="totals">
      {figures.map(([name, value, more]) => (
        <div key={name} title={more}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

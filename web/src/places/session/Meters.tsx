import type { SessionView } from "../../api/types.gen";
import { money } from "../../parts/format";
import { Quiet } from "../../parts/Quiet";

/** What it cost, of how much, and how full the agent's context is. */
export function Meters({ session }: { readonly session: SessionView }) {
  const { budget, context, tokens, cost_usd, cost_estimated, quiet_since } = session;
  const limit = budget?.usd ?? null;
  return (
    <>
      {(cost_usd > 0 || limit !== null) && (
        <span className="chip" title={`${tokens.in} tokens in, ${tokens.out} out`}>
          {cost_estimated && "about "}
          <b>{money(cost_usd)}</b>
          {limit !== null && ` of ${money(limit)}`}
        </span>
      )}
      {budget?.minutes != null && <span className="chip">{budget.minutes} min at most</span>}
      {quiet_since && <Quiet session={session.id} since={quiet_since} />}
      {context && context.limit > 0 && <Context {...context} />}
    </>
  );
}

function Context({ used, limit }: { readonly used: number; readonly limit: number }) {
  const part = Math.min(1, used / limit);
  const percent = Math.round(part * 100);
  return (
    <span
      className={`chip context ${part > 0.8 ? "tone-wait" : ""}`}
      title={`${used} of ${limit} tokens`}
    >
      context {percent} %
      <meter min={0} max={1} value={part} aria-label={`Context ${percent} % full`} />
    </span>
  );
}

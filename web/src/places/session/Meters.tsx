import type { SessionView } from "../../api/types.gen";
import { Quiet } from "../../parts/Quiet";
import { Budget } from "./Budget";

/** What it cost, of how much, and how full the agent's context is. */
export function Meters({ session }: { readonly session: SessionView }) {
  const { context, quiet_since } = session;
  return (
    <>
      <Budget session={session} />
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

import { useState } from "react";
import type { Car } from "../../api/train";
import { fetchCheckOutput } from "../../api/train";
import { attempt } from "../../state/page/notices";

/** What its checks said, once somebody asks. */
export function Log({ car }: { readonly car: Car }) {
  const [said, setSaid] = useState<string | null>(null);
  const look = (open: boolean) => {
    if (!open || said !== null) return;
    void attempt(async () => setSaid(await fetchCheckOutput(car.session, car.car)));
  };
  return (
    <details onToggle={(event) => look(event.currentTarget.open)}>
      <summary>What its checks said</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre tabIndex={0}>{said ?? "…"}</pre>
    </details>
  );
}

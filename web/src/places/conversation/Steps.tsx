import { memo } from "react";
import { plural } from "../../parts/format";
import type { Item } from "../../state/session/conversation";
import { setOpened } from "../../state/session/opened";
import { stepsText } from "../../state/session/tool";
import { isTool } from "./entries";

interface Props {
  readonly id: string;
  readonly items: readonly Item[];
  readonly open: boolean;
}

/** The work between two words, in one line that opens. */
export const Steps = memo(function Steps({ id, items, open }: Props) {
  const calls = items.filter(isTool);
  const failed = calls.filter((call) => call.failed).length;
  const runs = calls.some((call) => call.output === null);
  return (
    <button
      type="button"
      className="steps-head"
      aria-expanded={open}
      data-testid="steps"
      onClick={() => setOpened(id, !open)}
    >
      <span className="arrow" aria-hidden="true" />
      <span>{calls.length > 0 ? stepsText(calls) : plural(items.length, "thought")}</span>
      {failed > 0 && <span className="tone-bad">{failed} failed</span>}
      {runs && <span className="running">running…</span>}
    </button>
  );
});

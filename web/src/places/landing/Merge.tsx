import { useState } from "react";
import type { MergeMethod, PrStatus } from "../../api/landing";
import type { Pr } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { obstacle } from "../../state/session/pr";

const METHODS: readonly MergeMethod[] = ["merge", "squash", "rebase"];

interface Props {
  readonly pr: Pr;
  readonly status: PrStatus | null;
  readonly busy: boolean;
  readonly onMerge: (method: MergeMethod) => void;
}

/** Whether it can be merged, why not, and how. */
export function Merge({ pr, status, busy, onMerge }: Props) {
  const [method, setMethod] = useState<MergeMethod>("merge");
  const why = obstacle(pr, status?.mergeable ?? "");
  return (
    <div className="acts merge">
      <span className={why ? "quiet" : "tone-ok"}>{why || "Ready to merge"}</span>
      <label className="chip">
        by
        <select
          aria-label="Merge method"
          value={method}
          onChange={(event) => setMethod(event.target.value as MergeMethod)}
        >
          {METHODS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <Button
        look={why ? "plain" : "primary"}
        disabled={busy || pr.state === "draft"}
        onClick={() => onMerge(method)}
      >
        Merge
      </Button>
    </div>
  );
}

import { useState } from "react";
import { addToTrain } from "../../api/train";
import type { MergeMethod } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { plural } from "../../parts/format";
import { Hint } from "../../parts/Hint";
import { Dialog } from "../../parts/overlay/Dialog";
import { Segments } from "../../parts/Segments";
import { choose } from "../../state/fleet/sidebar";
import { loadTrains } from "../../state/fleet/train";
import { attempt } from "../../state/page/notices";
import { uncover } from "../../state/page/screen";
import { METHODS } from "../landing/methods";

interface Props {
  readonly ids: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/** Why sessions are not on the train yet, and what a person can decide about it. */
export function Board({ ids, message, hint }: Props) {
  const [method, setMethod] = useState<MergeMethod>("merge");
  const [untested, setUntested] = useState(false);
  const add = () =>
    attempt(async () => {
      await addToTrain(ids, method, untested);
      choose([]);
      uncover();
      await loadTrains();
    });
  return (
    <Dialog title={`Add ${ids.length > 1 ? plural(ids.length, "session") : "it"} to the train`}>
      <div className="body land">
        <p className="tone-wait">{message}</p>
        {hint && (
          <p>
            <Hint text={hint} />
          </p>
        )}
        <label className="check">
          <input
            type="checkbox"
            checked={untested}
            onChange={(event) => setUntested(event.target.checked)}
          />{" "}
          Land it although no checks are configured: nothing tests it
        </label>
      </div>
      <div className="actions">
        <Segments label="Method" options={METHODS} chosen={method} onChoose={setMethod} />
        <span className="spring" />
        <Button data-first onClick={uncover}>
          Cancel
        </Button>
        <Button look="primary" onClick={() => void add()}>
          Add
        </Button>
      </div>
    </Dialog>
  );
}

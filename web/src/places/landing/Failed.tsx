import { say } from "../../api/hub";
import { update, type Ways } from "../../api/landing";
import type { Problem } from "../../api/request";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { Hint } from "../../parts/Hint";
import { attempt, notify } from "../../state/page/notices";
import { useMergings } from "../../state/session/merging";
import { landsIn } from "./useWays";

interface Props {
  readonly session: SessionView;
  readonly ways: Ways;
  readonly problem: Problem;
  /** To take the session's own work alone, where that is another way. */
  readonly onSquash: (() => void) | undefined;
}

/** What stood in the way of a merge, and what a person can do about it. */
export function Failed({ session, ways, problem, onSquash }: Props) {
  const { id } = session;
  const merging = useMergings((mergings) => mergings.of[id]);
  const check = merging?.state === "failed" && !merging.passed ? merging.at : "";
  const send = () =>
    attempt(async () => {
      await say(id, words(check, landsIn(ways), merging?.output ?? ""), false);
      notify("The agent has the log.");
    });
  return (
    <div className="trouble" role="alert">
      <p>
        <b>
          <Hint text={problem.message} />
        </b>
      </p>
      {problem.hint && (
        <p className="quiet">
          <Hint text={problem.hint} />
        </p>
      )}
      <div className="acts">
        {problem.code === "conflict" && (
          <Button onClick={() => void attempt(() => update(id))}>
            Bring {ways.base.name} in, and let the agent settle it
          </Button>
        )}
        {problem.code !== "conflict" && ways.base.relation === "diverged" && onSquash && (
          <Button onClick={onSquash}>Squash instead</Button>
        )}
        {problem.code !== "conflict" && check !== "" && (
          <Button onClick={() => void send()}>Send the log to its agent</Button>
        )}
      </div>
    </div>
  );
}

const LONGEST = 4000;

function words(check: string, into: string, output: string): string {
  return (
    `The check \`${check}\` failed on your work merged into ${into}, so nothing was merged. ` +
    `Find out why and mend it, then commit. It said, at the end:\n\n\`\`\`\n${output.slice(-LONGEST)}\n\`\`\``
  );
}

import { useState } from "react";
import { type Finding, fetchPlan, updatePr } from "../../api/landing";
import { Button } from "../../parts/Button";
import { notify } from "../../state/page/notices";
import { Findings } from "./Findings";

interface Props {
  readonly session: string;
  readonly busy: boolean;
  readonly onPush: (action: () => Promise<unknown>) => Promise<void>;
}

/** New commits to the pull request's branch, once what they hold has been seen. */
export function PushMore({ session, busy, onPush }: Props) {
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const [accepted, setAccepted] = useState<readonly string[]>([]);
  const push = async () => {
    const found = findings.length > 0 ? findings : (await fetchPlan(session)).findings;
    setFindings(found);
    if (found.some(({ id }) => !accepted.includes(id))) return;
    for (const note of (await updatePr(session, accepted)).notes) notify(note);
    setFindings([]);
  };
  const unseen = findings.some(({ id }) => !accepted.includes(id));
  return (
    <>
      <Findings findings={findings} accepted={accepted} onChange={setAccepted} />
      <Button disabled={busy || unseen} onClick={() => void onPush(push)}>
        Push new commits
      </Button>
    </>
  );
}

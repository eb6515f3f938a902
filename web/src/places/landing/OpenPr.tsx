import { useState } from "react";
import { fetchPlan, openPr, type PrPlan } from "../../api/landing";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { attempt, notify } from "../../state/page/notices";
import { Findings } from "./Findings";

/** From commits to a pull request; the forge is asked only when the person wants to. */
export function OpenPr({ session }: { readonly session: SessionView }) {
  const [plan, setPlan] = useState<PrPlan | null>(null);
  const [title, setTitle] = useState("");
  const [draft, setDraft] = useState(false);
  const [accepted, setAccepted] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const run = async (action: () => Promise<void>) => {
    setBusy(true);
    await attempt(action);
    setBusy(false);
  };
  const look = () =>
    run(async () => {
      const made = await fetchPlan(session.id);
      setPlan(made);
      setTitle(made.title);
    });
  const open = () =>
    run(async () => {
      const opened = await openPr(session.id, draft, title, accepted);
      for (const note of opened.notes) notify(note);
    });
  if (plan === null) {
    return (
      <div className="part">
        <h2>Pull request</h2>
        <p className="quiet">Your branch is looked through before anything is pushed.</p>
        <Button disabled={busy} onClick={() => void look()}>
          Prepare a pull request
        </Button>
      </div>
    );
  }
  return (
    <div className="part">
      <h2>Pull request</h2>
      <p className="quiet">
        {plan.commits === 1 ? "1 commit" : `${plan.commits} commits`} into <b>{plan.base}</b> of{" "}
        {plan.repo}
        {plan.uncommitted > 0 && ` · ${plan.uncommitted} files are not committed`}
      </p>
      <input
        className="field"
        aria-label="Title"
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <details>
        <summary>Description</summary>
        <pre className="said">{plan.body}</pre>
      </details>
      <Findings findings={plan.findings} accepted={accepted} onChange={setAccepted} />
      <div className="acts">
        <Button
          look="primary"
          disabled={busy || accepted.length < plan.findings.length}
          onClick={() => void open()}
        >
          Push and open
        </Button>
        <label className="as-draft">
          <input
            type="checkbox"
            checked={draft}
            onChange={(event) => setDraft(event.target.checked)}
          />
          As a draft
        </label>
      </div>
    </div>
  );
}

import { useState } from "react";
import { fetchPlan, type OpenPr as Opening, openPr, type PrPlan } from "../../api/landing";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { plural } from "../../parts/format";
import { attempt, notify } from "../../state/page/notices";
import { useMergings } from "../../state/session/merging";
import { ChecksRun } from "./ChecksRun";
import { Findings } from "./Findings";
import { Part } from "./Part";
import { PrFields, type Proposed } from "./PrFields";

/** From commits to a pull request; the forge is asked only when the person wants to. */
export function OpenPr({ session }: { readonly session: SessionView }) {
  const { id } = session;
  const [plan, setPlan] = useState<PrPlan | null>(null);
  const [own, setOwn] = useState<Proposed>({});
  const [accepted, setAccepted] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const checks = useMergings(({ of }) => (of[id]?.merge === "" ? of[id] : undefined));
  const run = async (action: () => Promise<void>) => {
    setBusy(true);
    await attempt(action);
    setBusy(false);
  };
  const look = (base = "", template = "") =>
    run(async () => setPlan(await fetchPlan(id, base, template)));
  const change = (proposed: Proposed) => {
    // Another template is another description.
    const { body, ...rest } = own;
    const kept = proposed.template === undefined && body !== undefined ? { ...rest, body } : rest;
    setOwn({ ...kept, ...proposed });
    const { base = own.base, template = own.template } = proposed;
    const other = proposed.base !== undefined || proposed.template !== undefined;
    if (other) void look(base, template);
  };
  const open = () =>
    run(async () => {
      const opened = await openPr(id, { ...asked(own, plan), accept: accepted });
      for (const note of opened.notes) notify(note);
    });
  if (plan === null) {
    return (
      <Part name="pr" title="Pull request">
        <p className="quiet">Your branch is looked through before anything is pushed.</p>
        <Button disabled={busy} onClick={() => void look()}>
          Prepare a pull request
        </Button>
      </Part>
    );
  }
  const { existing } = plan;
  return (
    <Part name="pr" title="Pull request">
      <p className="quiet">
        {plural(plan.commits, "commit")} into <b>{plan.base}</b> of {plan.repo}
        {plan.uncommitted > 0 && ` · ${plural(plan.uncommitted, "file")} not committed`}
      </p>
      {existing && (
        <p className="tone-wait">
          #{existing.number} is {existing.state}
          {again(plan) ? ": this would be another one." : ": it is brought up to date."}
        </p>
      )}
      {plan.notes.map((note) => (
        <p className="quiet" key={note}>
          {note}
        </p>
      ))}
      <PrFields plan={plan} own={own} onChange={change} />
      <Findings findings={plan.findings} accepted={accepted} onChange={setAccepted} />
      <div className="acts">
        <Button
          look="primary"
          disabled={busy || accepted.length < plan.findings.length}
          onClick={() => void open()}
        >
          {again(plan) ? "Push and open another" : "Push and open"}
        </Button>
      </div>
      {own.check && checks && (busy || checks.state === "failed") && <ChecksRun merging={checks} />}
    </Part>
  );
}

const again = ({ existing }: PrPlan) =>
  existing?.state === "closed" || existing?.state === "merged";

/** What is left as it was proposed is made anew by the hub where that is its own. */
function asked(own: Proposed, plan: PrPlan | null): Opening {
  return {
    title: own.title ?? plan?.title ?? "",
    body: own.body ?? plan?.body ?? null,
    base: own.base ?? "",
    draft: own.draft ?? false,
    reviewers: own.reviewers ?? [],
    labels: own.labels ?? [],
    check: own.check ?? false,
    again: plan !== null && again(plan),
    ...(own.template && { template: own.template }),
  };
}

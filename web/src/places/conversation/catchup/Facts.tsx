import { Fragment, type ReactNode } from "react";
import { money, plural } from "../../../parts/format";
import type { CatchUp } from "../../../state/session/catchup";
import { progressOf } from "../../../state/session/todos";

const LONGEST = 70;
const SCRIPT = /<<SCRIPT[\s\S]*?SCRIPT>>/g;

/** The facts of a stretch in one line, the weightiest first. */
export function Facts({ card }: { readonly card: CatchUp }) {
  const facts = factsOf(card);
  return facts.map((fact, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a fact is known by its place
    <Fragment key={place}>
      {place > 0 && " · "}
      {fact}
    </Fragment>
  ));
}

function factsOf(card: CatchUp): ReactNode[] {
  const { said, decisions, todos, files, checks } = card;
  const last = decisions.at(-1);
  const lines = files.reduce((sum, file) => sum + file.added + file.removed, 0);
  return [
    ...card.trouble.slice(-1).map((text) => (
      <span key={text} className="tone-bad">
        {clipped(text)}
      </span>
    )),
    card.turns > 0 && `${plural(card.turns, "turn")} finished`,
    card.planSteps !== null && planText(card.planSteps),
    todos.length > 0 && `${progressOf(todos).done} of ${todos.length} steps done`,
    last && `${clipped(last.what)} → ${clipped(last.answer)}`,
    decisions.length > 1 && `${plural(decisions.length, "decision")} in all`,
    said.length > 0 && `you said “${clipped(said.at(-1) ?? "")}”`,
    files.length > 0 && `${plural(files.length, "file")} changed, ${plural(lines, "line")}`,
    ...checks.map((check) => (
      <span key={check.name} className={check.passed ? "tone-ok" : "tone-bad"}>
        {check.name} {check.result || (check.passed ? "passed" : "failed")}
      </span>
    )),
    card.reads > 0 && `read ${plural(card.reads, "file")}`,
    card.usd > 0 && money(card.usd),
  ].filter(Boolean);
}

function planText(steps: number): string {
  return steps > 0 ? `plan proposed, ${plural(steps, "step")}` : "plan proposed";
}

export function clipped(text: string): string {
  const line = text.replace(SCRIPT, "").replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

/** How the last merge of each followed session goes: its checks as they run, and its end. */

import { create } from "zustand";
import type { AnyEvent } from "../../api/types.gen";

export interface Merging {
  readonly state: "running" | "landed" | "failed";
  readonly merge: string;
  /** What of the session was to be merged; empty where checks ran for something else. */
  readonly tip: string;
  /** The checks, all of them; which one runs, or failed. */
  readonly checks: readonly string[];
  readonly at: string;
  readonly passed: boolean;
  /** What they said, from the end. */
  readonly output: string;
  readonly error: string;
  readonly hint: string;
}

interface Mergings {
  readonly of: Readonly<Record<string, Merging>>;
}

export const useMergings = create<Mergings>(() => ({ of: {} }));

const KEPT_OUTPUT = 20_000;
const BEGUN: Merging = {
  state: "running",
  merge: "",
  tip: "",
  checks: [],
  at: "",
  passed: false,
  output: "",
  error: "",
  hint: "",
};

/** Takes what is told of the session, in order, what is past included. */
export function foldMergings(id: string, events: readonly AnyEvent[]): void {
  const before = useMergings.getState().of[id];
  const after = events.reduce(foldMerging, before);
  if (after === undefined || after === before) return;
  useMergings.setState(({ of }) => ({ of: { ...of, [id]: after } }));
}

export function foldMerging(known: Merging | undefined, event: AnyEvent): Merging | undefined {
  switch (event.type) {
    case "merge_started":
      return { ...BEGUN, merge: event.merge, tip: event.tip };
    case "checks_started": {
      // A push and the train have checks run too.
      const tip = known?.merge === event.merge ? known.tip : "";
      return { ...BEGUN, merge: event.merge, tip, checks: event.commands };
    }
    case "checks_reported": {
      if (known === undefined) return undefined;
      const output = (known.output + event.text).slice(-KEPT_OUTPUT);
      return { ...known, at: event.command, output };
    }
    case "checks_finished": {
      if (known === undefined) return undefined;
      if (event.passed) return { ...known, passed: true };
      const error = event.error ?? "";
      return { ...known, state: "failed", at: event.failed || known.at, error };
    }
    case "session_merged":
      return { ...(known ?? BEGUN), state: "landed" };
    case "merge_failed": {
      const { error, hint = "" } = event;
      return { ...(known ?? BEGUN), state: "failed", error, hint };
    }
    default:
      return known;
  }
}

/** Each check and how it stands: those before the one that runs have passed. */
export function checkStates(
  merging: Merging,
): readonly { readonly name: string; readonly state: "passed" | "running" | "failed" | "waits" }[] {
  const { checks, at, state, passed } = merging;
  const place = passed ? checks.length : Math.max(0, checks.indexOf(at));
  return checks.map((name, number) => {
    if (number < place) return { name, state: "passed" };
    if (number > place) return { name, state: "waits" };
    return { name, state: state === "failed" ? "failed" : "running" };
  });
}

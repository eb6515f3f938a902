/** The train, asked of the hub by the operations' own names. */

import { command, fetchJson } from "./request";
import type { MergeMethod } from "./types.gen";

export type { CarView as Car, TrainView as Train } from "./types.gen";

export const fetchTrains = () => fetchJson("/train", {});
export const addToTrain = (
  sessions: readonly string[],
  method: MergeMethod | null = null,
  untested = false,
) => command("/train/add", {}, { sessions, method, untested });
export const removeFromTrain = (session: string) =>
  command("/train/remove", {}, { sessions: [session] });
export const moveInTrain = (session: string, position: number) =>
  command("/train/move", {}, { session, position });
export const pauseTrain = (repo: string, into: string) =>
  command("/train/pause", {}, { repo, into });
export const resumeTrain = (repo: string, into: string) =>
  command("/train/resume", {}, { repo, into });

const LONGEST = 20_000;

/** What the checks of one car said, from the end. */
export async function fetchCheckOutput(ref: string, car: string): Promise<string> {
  const events = await fetchJson("/sessions/{ref}/last", { ref }, { limit: 500 });
  const began = events.findLastIndex((one) => one.type === "checks_started" && one.merge === car);
  if (began < 0) return "It is further back than can be shown here: the session's log has it.";
  let said = "";
  for (const event of events.slice(began + 1)) {
    if (event.type === "checks_started") break;
    if (event.type === "checks_reported") said += event.text;
  }
  return said.slice(-LONGEST);
}

/** Issues of a repository's forge and of the trackers that are configured for it. */

import { fetchJson } from "./request";

export type { IssueView as Issue, TrackerView as Tracker } from "./types.gen";

export const fetchTrackers = (repo: string) => fetchJson("/trackers", {}, { repo });
export const fetchIssues = (repo: string, tracker: string, search: string, mine: boolean) =>
  fetchJson("/issues", {}, { repo, tracker, search, mine });

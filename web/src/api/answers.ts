/** What the hub takes and answers, by the names that the page has for it. */

import type { FileDiff, New, ReviewFile } from "./types.gen";

export type {
  Bringing,
  Given as Attachment,
  HubStatus,
  Link as Links,
  Machine,
  Opening,
  Plan as ArchivePlan,
  Said,
} from "./types.gen";

/** A changed file, and in a review what is known of it there. */
export type DiffFile = Pick<FileDiff, "path" | "status" | "added" | "removed" | "binary"> &
  Partial<ReviewFile>;

export interface Diff {
  readonly files: readonly DiffFile[];
  readonly patch: string;
}

/** Who thinks about one message, and how hard; the session's own where nothing is said. */
export interface OneMessage {
  readonly model?: string;
  readonly effort?: string;
}

/** Efforts are offered by agents, so the page knows them as words. */
export type NewSession = Omit<New, "effort"> & Pick<OneMessage, "effort">;

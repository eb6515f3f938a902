/** What the hub answers beyond the model's own views. */

import type { FileStatus, SessionView, Viewed } from "./types.gen";

export interface HubStatus {
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  readonly sessions: Readonly<Record<string, number>>;
  readonly limits?: { readonly working: number; readonly unread?: number };
  readonly home?: string;
}

export interface DiffFile {
  readonly path: string;
  readonly old_path?: string | null;
  readonly status: FileStatus;
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
  readonly old_mode?: string | null;
  readonly new_mode?: string | null;
  readonly omitted?: boolean;
  readonly old_blob?: string;
  readonly new_blob?: string;
  readonly generated?: boolean;
  readonly viewed?: Viewed;
}

export interface Diff {
  readonly files: readonly DiffFile[];
  readonly patch: string;
}

export interface ArchivePlan {
  readonly session: string;
  readonly safe: boolean;
  readonly kept: readonly { what: string; where: string; bytes: number }[];
  readonly lost: readonly { what: string; bytes: number }[];
  readonly blocked_by: readonly string[];
}

/** What a repository could run; `digest` names exactly this content. */
export interface Bringing {
  readonly digest: string;
  readonly pieces: readonly { path: string; digest: string; text: string }[];
  readonly new: readonly string[];
}

export interface Machine {
  readonly git: Finding;
}

export interface Finding {
  readonly ok: boolean;
  readonly detail: string;
  readonly fix: string;
}

export interface Links {
  readonly url: string;
  readonly others: readonly string[];
}

export interface NewSession {
  readonly text: string;
  readonly repo: string;
  readonly base?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly mode?: SessionView["mode"];
  readonly effort?: string;
  readonly attachments?: readonly Attachment[];
  readonly detach?: boolean;
}

export interface Said {
  readonly session: string;
  readonly follow_up: boolean;
}

/** A file that goes with a message; `data` is base64. */
export interface Attachment {
  readonly name: string;
  readonly media_type: string;
  readonly data: string;
}

/** Who thinks about one message, and how hard; the session's own where nothing is said. */
export interface OneMessage {
  readonly model?: string;
  readonly effort?: string;
}

export interface Opening {
  readonly text: string;
  readonly agent?: string;
  readonly writes?: boolean;
  readonly conversation?: string;
}

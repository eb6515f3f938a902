/** What can be done from within the rows of a diff. */

import { createContext, useContext } from "react";
import type { CommentView, Side } from "../../api/types.gen";
import type { FileDiff } from "../../state/diff/diffFiles";
import type { Gap } from "./rows/context";
import type { Group } from "./rows/rows";

export interface Place {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
}

export interface DiffActions {
  readonly session: string;
  readonly against: string;
  /** Whether what is shown is what is there now, so that it can be changed. */
  readonly isNow: boolean;
  readonly fold: (path: string) => void;
  readonly force: (path: string) => void;
  readonly expand: (diff: FileDiff, gap: Gap, from: "top" | "bottom" | "all") => void;
  readonly view: (diff: FileDiff) => void;
  readonly since: (path: string) => void;
  readonly comment: (from: Place, to: Place) => void;
  readonly commentFile: (path: string) => void;
  readonly open: (path: string) => void;
  readonly copy: (path: string) => void;
  readonly revert: (diff: FileDiff, group: Group | null) => void;
  readonly pick: (place: Place, began: boolean) => void;
  readonly act: (comment: CommentView, what: "resolve" | "reopen" | "discard" | "apply") => void;
}

export const ActionsContext = createContext<DiffActions | null>(null);

export function useActions(): DiffActions {
  const actions = useContext(ActionsContext);
  if (actions === null) throw new Error("rows of a diff stand inside a diff");
  return actions;
}

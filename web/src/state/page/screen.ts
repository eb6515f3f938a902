/** What covers the page: at most one dialog at a time. */

import { create } from "zustand";
import type { Attachment } from "../../api/answers";
import type { MergeMethod } from "../../api/types.gen";

/** A picture of a preview, by its name, and what it is of. */
export interface ShotOf {
  readonly picture: string;
  readonly service: string;
  readonly path: string;
}

export type Cover =
  | { name: "none" }
  | { name: "new" }
  | { name: "help" }
  | { name: "palette" }
  | { name: "say"; ids: readonly string[] }
  | { name: "archive"; ids: readonly string[] }
  | { name: "land"; ids: readonly string[]; method: MergeMethod; archive: boolean }
  | { name: "board"; ids: readonly string[]; message: string; hint: string }
  | { name: "rewind"; id: string; checkpoint: string; turn: number }
  | { name: "box"; id: string }
  | { name: "mark"; id: string; picture: Attachment }
  | { name: "point"; id: string; shot: ShotOf }
  | { name: "remove"; id: string; title: string };

export const useCover = create<{ cover: Cover }>(() => ({ cover: { name: "none" } }));

export function setCover(cover: Cover): void {
  useCover.setState({ cover });
}

export const uncover = (): void => setCover({ name: "none" });

/** Also while what covers the page is still on its way. */
export const isCovered = (): boolean => useCover.getState().cover.name !== "none";

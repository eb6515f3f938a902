/** Comments that the hub does not have yet: kept in this browser, whatever happens, until it does. */

import type { Drafting } from "../../api/review";
import { stored } from "../page/stored";

export interface Unsaved extends Drafting {
  readonly session: string;
}

const useUnsaved = stored<Readonly<Record<string, Unsaved>>>("comments", {});

export function keepUnsaved(draft: Unsaved): void {
  useUnsaved.setState({ [draft.id]: draft });
}

export function dropUnsaved(id: string): void {
  const { [id]: dropped, ...others } = useUnsaved.getState();
  if (dropped !== undefined) useUnsaved.setState(others, true);
}

export function unsavedOf(session: string): Unsaved[] {
  return Object.values(useUnsaved.getState()).filter((draft) => draft.session === session);
}

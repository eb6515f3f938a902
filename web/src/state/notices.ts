/** Short messages about what just went wrong or was done. */

import { create } from "zustand";
import { Problem } from "../api/request";

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly hint: string;
}

const SHOWN_MS = 8000;
let last = 0;

export const useNotices = create<{ notices: readonly Notice[] }>(() => ({ notices: [] }));

export function notify(text: string, hint = ""): void {
  const notice = { id: ++last, text, hint };
  useNotices.setState(({ notices }) => ({ notices: [...notices.slice(-3), notice] }));
  setTimeout(() => dismiss(notice.id), SHOWN_MS);
}

export function dismiss(id: number): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
}

/** Runs what a person asked for and says so if it did not work; the answer tells whether it did. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    if (error instanceof Problem) notify(error.message, error.hint);
    else notify(error instanceof Error ? error.message : String(error));
    return false;
  }
}

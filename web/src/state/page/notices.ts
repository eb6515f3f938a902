/** Short messages about what just went wrong or was done. */

import { Toast } from "@base-ui/react/toast";
import { Problem } from "../../api/request";

export const notices = Toast.createToastManager();

export function notify(text: string, hint = ""): void {
  notices.add({ title: text, description: hint });
}

function complain(text: string, hint = ""): void {
  notices.add({ title: text, description: hint, type: "error" });
}

/** Runs what a person asked for and says so if it did not work; the answer tells whether it did. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    if (error instanceof Problem) complain(error.message, error.hint);
    else complain(error instanceof Error ? error.message : String(error));
    return false;
  }
}

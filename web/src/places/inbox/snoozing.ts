/** Putting an item off, where the hub can. */

import { snooze } from "../../api/hub";
import type { Attention } from "../../api/types.gen";
import { attempt } from "../../state/page/notices";

export const canSnooze = (item: Attention): boolean => "snoozed_until" in item;

/** For so many minutes; none brings it back. */
export function snoozeItem(item: Attention, minutes: number): void {
  void attempt(() => snooze(item.id, minutes));
}

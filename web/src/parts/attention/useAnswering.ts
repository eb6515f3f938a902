/** Gives an answer once: while it is on its way the card takes no other. */

import { useState } from "react";
import { answer } from "../../api/hub";
import type { Attention } from "../../api/types.gen";
import { attempt } from "../../state/page/notices";

export interface Answering {
  readonly busy: boolean;
  readonly give: (options: readonly string[], text?: string) => void;
}

export function useAnswering(item: Attention): Answering {
  const [busy, setBusy] = useState(false);
  const give = async (options: readonly string[], text = "") => {
    if (busy) return;
    setBusy(true);
    await attempt(() => answer(item, options, text));
    setBusy(false);
  };
  return { busy, give: (options, text) => void give(options, text) };
}

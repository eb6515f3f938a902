/** Whether panes fit beside each other. */

import { useSyncExternalStore } from "react";

const WIDE = matchMedia("(min-width: 1081px)");

export const useWide = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      WIDE.addEventListener("change", tell);
      return () => WIDE.removeEventListener("change", tell);
    },
    () => WIDE.matches,
  );

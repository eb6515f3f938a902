/** How much fits on the screen. */

import { useSyncExternalStore } from "react";

const WIDE = matchMedia("(min-width: 1081px)");
const PHONE = matchMedia("(max-width: 760px)");

/** Whether panes fit beside each other. */
export const useWide = (): boolean => useMatch(WIDE);

/** Whether nothing fits beside anything. */
export const usePhone = (): boolean => useMatch(PHONE);

function useMatch(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (tell) => {
      query.addEventListener("change", tell);
      return () => query.removeEventListener("change", tell);
    },
    () => query.matches,
  );
}

/** Whether panes fit beside each other, and whether this is a phone. */

import { useSyncExternalStore } from "react";

const WIDE = matchMedia("(min-width: 1081px)");
const PHONE = matchMedia("(max-width: 760px)");

const useMedia = (query: MediaQueryList): boolean =>
  useSyncExternalStore(
    (tell) => {
      query.addEventListener("change", tell);
      return () => query.removeEventListener("change", tell);
    },
    () => query.matches,
  );

export const useWide = (): boolean => useMedia(WIDE);
export const usePhone = (): boolean => useMedia(PHONE);

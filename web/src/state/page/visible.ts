/** Whether anybody can see this page. */

import { useSyncExternalStore } from "react";

export const useVisible = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      document.addEventListener("visibilitychange", tell);
      return () => document.removeEventListener("visibilitychange", tell);
    },
    () => document.visibilityState === "visible",
  );

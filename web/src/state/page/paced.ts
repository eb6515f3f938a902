/** For what is costly to look at again: a working session moves many times a second. */

import { useEffect, useRef, useState } from "react";

const EVERY_MS = 500;

/** The value as it was a moment ago, changing only now and then. */
export function usePaced<T>(value: T): T {
  const [paced, setPaced] = useState(value);
  const last = useRef(0);
  useEffect(() => {
    const turn = () => {
      last.current = Date.now();
      setPaced(value);
    };
    // A browser counts in 32 bits: a wait of years below zero could become one of days above it.
    const timer = setTimeout(turn, Math.max(0, last.current + EVERY_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [value]);
  return paced;
}

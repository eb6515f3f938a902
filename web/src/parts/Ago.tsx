import { useEffect, useState } from "react";
import { duration } from "./format";

const TICK_MS = 15_000;

interface Props {
  readonly at: string;
  readonly prefix?: string;
  /** Said after a length of time, such as "ago". */
  readonly suffix?: string;
}

/** How long ago something happened, kept current. */
export function Ago({ at, prefix = "", suffix = "" }: Props) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {prefix}
      {seconds < 60 ? "just now" : `${duration(seconds)}${suffix}`}
    </time>
  );
}

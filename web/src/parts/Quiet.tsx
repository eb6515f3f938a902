import { useEffect, useState } from "react";
import { heardAt } from "../state/session/conversations";
import { duration } from "./format";

const TICK_MS = 15_000;
const WORTH_SAYING = 60;

interface Props {
  readonly session: string;
  readonly since: string;
}

/**
 * That a working agent has given no sign of life for a while, rather than only that it works.
 *
 * What streams is no news of the session, so this page's own ears count too.
 */
export function Quiet({ session, since }: Props) {
  const [now, setNow] = useState(Date.now);
  const seconds = (now - Math.max(Date.parse(since), heardAt(session))) / 1000;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return seconds < WORTH_SAYING ? null : (
    <span className="chip tone-wait">quiet for {duration(seconds)}</span>
  );
}

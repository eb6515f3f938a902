import { useEffect, useRef, useState } from "react";
import { fetchServiceLog, findInServiceLog } from "../../api/services";

interface Props {
  readonly session: string;
  readonly name: string;
}

const HELD_SECONDS = 20;
const AGAIN_MS = 2000;
/** Characters that are shown; the hub keeps more, which a search finds. */
const MOST = 200_000;

/** What a service says, as it says it; or the lines of it that hold some words. */
export function ServiceLog({ session, name }: Props) {
  const [text, setText] = useState("");
  const [words, setWords] = useState("");
  const [found, setFound] = useState("");
  const end = useRef<HTMLPreElement>(null);
  useEffect(() => follow(session, name, setText), [session, name]);
  useEffect(() => {
    if (words === "") return;
    let current = true;
    findInServiceLog(session, name, words).then(
      (log) => current && setFound(log.text),
      (error: Error) => current && setFound(error.message),
    );
    return () => {
      current = false;
    };
  }, [session, name, words]);
  const shown = words === "" ? text : found;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever comes is to be seen
  useEffect(() => {
    end.current?.scrollTo(0, end.current.scrollHeight);
  }, [shown]);
  return (
    <div className="service-log">
      <input
        className="field"
        type="search"
        aria-label={`Find in the log of ${name}`}
        placeholder="Find in the log"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <pre
        ref={end}
        role="log"
        aria-label={`Log of ${name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        data-testid="service-log"
      >
        {shown}
      </pre>
    </div>
  );
}

/** Asks again and again, each time held open by the hub; returns how to end it. */
function follow(session: string, name: string, show: (text: string) => void): () => void {
  let on = true;
  let text = "";
  let after: number | null = null;
  const ask = async () => {
    while (on) {
      try {
        const log = await fetchServiceLog(session, name, after, HELD_SECONDS);
        if (!on) return;
        after = log.next;
        if (log.text) {
          text = (text + log.text).slice(-MOST);
          show(text);
        }
      } catch {
        await new Promise((done) => setTimeout(done, AGAIN_MS));
      }
    }
  };
  void ask();
  return () => {
    on = false;
  };
}

import { type RefObject, useEffect, useState } from "react";
import { Button } from "../../parts/Button";
import { useKeys } from "../../state/keys";

interface Props {
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Rows; where it grows while one reads above, something new is below. */
  readonly count: number;
  readonly onGo: () => void;
}

const FAR = 240;

/** The way back to the end for who reads far above it. */
export function ToEnd({ scroller, count, onGo }: Props) {
  const [far, setFar] = useState(false);
  const [seen, setSeen] = useState(count);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () =>
      setFar(element.scrollHeight - element.scrollTop - element.clientHeight > FAR);
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [scroller]);
  useEffect(() => {
    if (!far) setSeen(count);
  }, [far, count]);
  useKeys("conversation", { "Shift+g": { label: "To the newest words", run: onGo } });
  if (!far) return null;
  return (
    <Button className="to-end" onClick={onGo}>
      ↓ {count > seen ? "New below" : "To the end"}
    </Button>
  );
}

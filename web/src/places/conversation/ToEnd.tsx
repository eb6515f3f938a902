import { useEffect, useState } from "react";
import { Button } from "../../parts/Button";
import { useKeys } from "../../state/page/keys";

interface Props {
  /** Pixels below what is in sight. */
  readonly below: number;
  /** Rows; where it grows while one reads above, something new is below. */
  readonly count: number;
  readonly onGo: () => void;
}

const FAR = 240;

/** The way back to the end for who reads far above it. */
export function ToEnd({ below, count, onGo }: Props) {
  const far = below > FAR;
  const [seen, setSeen] = useState(count);
  useEffect(() => {
    if (!far) setSeen(count);
  }, [far, count]);
  useKeys("conversation", { "Shift+g": { label: "To the newest words", run: onGo } });
  if (!far) return null;
  return (
    <div className="to-end">
      <Button onClick={onGo}>↓ {count > seen ? "New below" : "To the end"}</Button>
    </div>
  );
}

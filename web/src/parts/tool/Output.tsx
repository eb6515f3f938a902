import { memo, useState } from "react";
import { plainText } from "../../state/session/plain";
import { bytes as size } from "../format";

interface Props {
  readonly text: string;
  readonly bytes: number;
  readonly failed: boolean;
}

const SHOWN_LINES = 60;

/** What a program said: its last lines, and all of them on demand. */
export const Output = memo(function Output({ text, bytes, failed }: Props) {
  const [whole, setWhole] = useState(false);
  const lines = plainText(text).trimEnd().split("\n");
  const hidden = whole ? 0 : Math.max(0, lines.length - SHOWN_LINES);
  const cut = bytes > text.length * 2 + 1000;
  return (
    <div className="tool-output" data-failed={failed}>
      {hidden > 0 && (
        <button type="button" className="more" onClick={() => setWhole(true)}>
          Show {hidden} lines above
        </button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre className="code output" tabIndex={0}>
        {lines.slice(hidden).join("\n")}
      </pre>
      {cut && <small>{size(bytes)} in all; the middle was not kept.</small>}
    </div>
  );
});

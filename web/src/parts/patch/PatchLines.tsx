import { memo } from "react";
import type { PatchLine } from "../../state/diff/patch";
import { Pieces } from "../code/Pieces";
import "../code/code.css";
import "./patch.css";

interface Props {
  readonly lines: readonly PatchLine[];
  readonly lang: string;
  /** Whether line numbers mean anything here. */
  readonly numbered?: boolean;
}

const SIGNS = { added: "+", removed: "−", same: " " } as const;
const WORDS = { added: "added: ", removed: "removed: ", same: "" } as const;

/** Changed lines as they read in a diff; the sign says it to those who do not see colour. */
export const PatchLines = memo(function PatchLines({ lines, lang, numbered = false }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <pre className="patch" tabIndex={0} data-numbered={numbered}>
      {lines.map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
        <div className={`patch-line ${line.kind}`} key={place}>
          {numbered && <i aria-hidden="true">{line.after ?? line.before}</i>}
          <span className="sign" aria-hidden="true">
            {SIGNS[line.kind]}
          </span>
          <span className="sr">{WORDS[line.kind]}</span>
          <span className="text">
            <Pieces text={line.text} lang={lang} mark={line.mark} />
          </span>
        </div>
      ))}
    </pre>
  );
});

import { memo } from "react";
import { Pieces } from "./Pieces";
import "./code.css";

/** A block of code, line by line so that a growing one colours only what is new. */
export const Code = memo(function Code({
  text,
  lang,
}: {
  readonly text: string;
  readonly lang: string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <pre className="code" tabIndex={0}>
      <code>
        {text
          .replace(/\n$/, "")
          .split("\n")
          .map((line, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
            <Pieces key={place} text={`${line}\n`} lang={lang} mark={null} />
          ))}
      </code>
    </pre>
  );
});

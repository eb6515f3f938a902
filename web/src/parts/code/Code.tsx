import { memo } from "react";
import { copyText } from "../../state/page/clipboard";
import { useHighlighter, wholeLines } from "./highlight";
import { Pieces } from "./Pieces";
import "./code.css";

interface Props {
  readonly text: string;
  readonly lang: string;
  /** A growing one is coloured line by line, so that only what is new is coloured again. */
  readonly live?: boolean;
  /** Whether its language and a way to copy it stand above. */
  readonly titled?: boolean;
}

/** A block of code. */
export const Code = memo(function Code({ text, lang, live = false, titled = false }: Props) {
  const plain = text.replace(/\n$/, "");
  const block = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <pre className="code" tabIndex={0}>
      <code>{live ? <ByLine text={plain} lang={lang} /> : <Whole text={plain} lang={lang} />}</code>
    </pre>
  );
  if (!titled) return block;
  return (
    <div className="code-block">
      <div className="code-head">
        <span>{lang}</span>
        <button type="button" onClick={() => copyText(plain, "Code")}>
          Copy
        </button>
      </div>
      {block}
    </div>
  );
});

type Text = Pick<Props, "text" | "lang">;

function ByLine({ text, lang }: Text) {
  return text.split("\n").map((line, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
    <Pieces key={place} text={`${line}\n`} lang={lang} mark={null} />
  ));
}

function Whole({ text, lang }: Text) {
  useHighlighter();
  return wholeLines(text, lang).map((line, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
    <span key={place}>
      {line.map(({ text: part, look }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece is known by its place in the line
        <span key={at} className={look || undefined}>
          {part}
        </span>
      ))}
      {"\n"}
    </span>
  ));
}

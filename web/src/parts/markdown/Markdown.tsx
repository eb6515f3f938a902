import { memo } from "react";
import { Code } from "../code/Code";
import { blocksOf, htmlOf } from "./render";
import "./markdown.css";

interface Props {
  readonly text: string;
  /** Whether it still grows. */
  readonly live?: boolean;
}

/** An agent's words. */
export const Markdown = memo(function Markdown({ text, live = false }: Props) {
  return (
    <div className="markdown">
      {blocksOf(text).map((block, place) =>
        block.kind === "code" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a block is known by its place in the text
          <Code key={place} text={block.text} lang={block.lang} live={live} titled />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a block is known by its place in the text
          <Html key={place} raw={block.raw} />
        ),
      )}
    </div>
  );
});

const Html = memo(function Html({ raw }: { readonly raw: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: htmlOf sanitises
  return <div dangerouslySetInnerHTML={{ __html: htmlOf(raw) }} />;
});

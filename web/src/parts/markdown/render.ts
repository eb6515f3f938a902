/**
 * Markdown from an agent, made harmless: no markup of its own, nothing remote, no styles.
 *
 * Raw HTML is shown as the text it is, pictures become their description, and what is left is
 * sanitised once more before it reaches the page.
 */

import DOMPurify from "dompurify";
import { Marked, type Token, type Tokens } from "marked";

export type Block =
  | { readonly kind: "html"; readonly raw: string }
  | { readonly kind: "code"; readonly raw: string; readonly text: string; readonly lang: string };

const SAFE_LINK = /^(https?:|mailto:)/i;
const ALLOWED_TAGS = [
  "a",
  "blockquote",
  "br",
  "code",
  "del",
  "em",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "hr",
  "input",
  "li",
  "ol",
  "p",
  "pre",
  "span",
  "strong",
  "table",
  "tbody",
  "td",
  "th",
  "thead",
  "tr",
  "ul",
];
const ALLOWED_ATTR = [
  "href",
  "title",
  "rel",
  "target",
  "class",
  "start",
  "type",
  "checked",
  "disabled",
];

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ text, href }) => `<span class="no-image">[image: ${escaped(text || href)}]</span>`,
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      if (!SAFE_LINK.test(href)) return words;
      const to = escaped(href);
      return `<a href="${to}" title="${to}" rel="noopener noreferrer nofollow" target="_blank">${words}</a>`;
    },
  },
});

const MOST_KEPT = 1000;
const keptBlocks = new Map<string, readonly Block[]>();
const keptHtml = new Map<string, string>();

/** The text in blocks, so that a growing message renders only its last one again. */
export function blocksOf(text: string): readonly Block[] {
  return kept(keptBlocks, text, () => marked.lexer(text).filter(isShown).map(blockOf));
}

export function htmlOf(markdown: string): string {
  return kept(keptHtml, markdown, () => {
    const html = marked.parse(markdown, { async: false });
    return DOMPurify.sanitize(html, { ALLOWED_TAGS, ALLOWED_ATTR, ALLOW_DATA_ATTR: false });
  });
}

/** Rows come and go with scrolling; what was made lately is not made again. */
function kept<T>(store: Map<string, T>, key: string, make: () => T): T {
  const known = store.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (store.size >= MOST_KEPT) store.clear();
  store.set(key, made);
  return made;
}

function isShown(token: Token): boolean {
  return token.type !== "space" && token.type !== "def";
}

function blockOf(token: Token): Block {
  if (token.type !== "code") return { kind: "html", raw: token.raw };
  const { raw, text, lang = "" } = token as Tokens.Code;
  return { kind: "code", raw, text, lang };
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

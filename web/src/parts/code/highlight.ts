/** Syntax colours by class name; a language is loaded when first needed, until then its text is plain. */

import type { createLowlight, LanguageFn } from "lowlight";
import { useSyncExternalStore } from "react";

export interface Piece {
  readonly text: string;
  readonly look: string;
}

type Lowlight = ReturnType<typeof createLowlight>;
type Node = ReturnType<Lowlight["highlight"]>["children"][number];

const BY_EXTENSION: Readonly<Record<string, string>> = {
  py: "python",
  pyi: "python",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  ts: "typescript",
  tsx: "typescript",
  rs: "rust",
  go: "go",
  java: "java",
  kt: "kotlin",
  rb: "ruby",
  php: "php",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
  cs: "csharp",
  swift: "swift",
  sh: "bash",
  bash: "bash",
  zsh: "bash",
  sql: "sql",
  css: "css",
  scss: "scss",
  html: "xml",
  xml: "xml",
  svg: "xml",
  vue: "xml",
  json: "json",
  toml: "ini",
  ini: "ini",
  cfg: "ini",
  yml: "yaml",
  yaml: "yaml",
  md: "markdown",
  mk: "makefile",
  make: "makefile",
  console: "shell",
  golang: "go",
  "c++": "cpp",
  patch: "diff",
  pl: "perl",
};
/** What a language may hold of others. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  xml: ["javascript", "css"],
  markdown: ["xml"],
  php: ["xml"],
};
const GRAMMARS = import.meta.glob<LanguageFn>(
  "/node_modules/highlight.js/es/languages/{bash,c,cpp,csharp,css,diff,go,graphql,ini,java,javascript,json,kotlin,less,lua,makefile,markdown,objectivec,perl,php,python,r,ruby,rust,scss,shell,sql,swift,typescript,xml,yaml}.js",
  { import: "default" },
);
const LONGEST_LINE = 2000;
const LONGEST_TEXT = 60_000;
const MOST_KEPT = 4000;

let lowlight: Lowlight | null = null;
/** Those asked for. */
const wanted = new Set<string>();
let loaded = 0;
const listeners = new Set<() => void>();
const kept = new Map<string, readonly Piece[]>();

export function languageOf(path: string): string {
  return BY_EXTENSION[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "";
}

/** Draws again when a language's colours have come; how many have. */
export function useHighlighter(): number {
  return useSyncExternalStore(subscribe, () => loaded);
}

/** Whether this language's colours are there; asking loads them. */
export function canColour(language: string): boolean {
  want(BY_EXTENSION[language] ?? language);
  return lowlight?.registered(language) ?? false;
}

export function pieces(text: string, language: string): readonly Piece[] {
  return text.length > LONGEST_LINE ? [{ text, look: "" }] : coloured(text, language);
}

function coloured(text: string, language: string): readonly Piece[] {
  if (!canColour(language) || lowlight === null) return [{ text, look: "" }];
  const key = `${language}\0${text}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const found = lowlight.highlight(language, text).children.flatMap((node) => flat(node, ""));
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, found);
  return found;
}

/** A whole text by lines, so that what spans several (a comment, a string) keeps its colour. */
export function wholeLines(text: string, language: string): readonly (readonly Piece[])[] {
  const all = text.length > LONGEST_TEXT ? [{ text, look: "" }] : coloured(text, language);
  const lines: Piece[][] = [[]];
  for (const { text: part, look } of all) {
    const [first = "", ...rest] = part.split("\n");
    lines.at(-1)?.push({ text: first, look });
    for (const line of rest) lines.push([{ text: line, look }]);
  }
  return lines;
}

function flat(node: Node, look: string): Piece[] {
  if (node.type === "text") return [{ text: node.value, look }];
  if (node.type !== "element") return [];
  const [first = ""] = (node.properties.className ?? []) as string[];
  return node.children.flatMap((child) => flat(child, first || look));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function want(name: string): void {
  if (wanted.has(name)) return;
  wanted.add(name);
  void load(name);
}

async function load(name: string): Promise<void> {
  const names = [name, ...(WITHIN[name] ?? [])].filter((one) => pathOf(one) in GRAMMARS);
  const grammars = await Promise.all(names.map((one) => GRAMMARS[pathOf(one)]?.()));
  const { createLowlight } = await import("lowlight");
  lowlight ??= createLowlight();
  for (const [n, one] of names.entries()) if (grammars[n]) lowlight.register(one, grammars[n]);
  loaded += 1;
  kept.clear();
  for (const listener of listeners) listener();
}

const pathOf = (name: string) => `/node_modules/highlight.js/es/languages/${name}.js`;

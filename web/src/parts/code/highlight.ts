/** Syntax colours by class name, loaded when first needed; until then text is plain. */

import type { createLowlight } from "lowlight";
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
  lua: "lua",
  r: "r",
};
const LONGEST_LINE = 2000;
const LONGEST_TEXT = 60_000;
const MOST_KEPT = 4000;

let lowlight: Lowlight | null = null;
let loading = false;
const listeners = new Set<() => void>();
const kept = new Map<string, readonly Piece[]>();

export function languageOf(path: string): string {
  return BY_EXTENSION[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "";
}

/** Whether colours are there yet; asking loads them. */
export function useHighlighter(): boolean {
  return useSyncExternalStore(subscribe, () => lowlight !== null);
}

/** Whether this language's colours are there. */
export function canColour(language: string): boolean {
  return lowlight?.registered(language) ?? false;
}

export function pieces(text: string, language: string): readonly Piece[] {
  return text.length > LONGEST_LINE ? [{ text, look: "" }] : coloured(text, language);
}

function coloured(text: string, language: string): readonly Piece[] {
  if (lowlight === null || !canColour(language)) return [{ text, look: "" }];
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
  if (!loading) {
    loading = true;
    void load();
  }
  return () => listeners.delete(listener);
}

async function load(): Promise<void> {
  const { common, createLowlight } = await import("lowlight");
  lowlight = createLowlight(common);
  for (const listener of listeners) listener();
}

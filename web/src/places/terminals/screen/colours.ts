/** The terminal's colours, which are the page's. */

import type { ISearchDecorationOptions } from "@xterm/addon-search";
import type { ITheme } from "@xterm/xterm";
import "./colours.css";

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

const token = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function theme(): ITheme {
  const colours = COLOURS.flatMap((name) => [
    [name, token(`--term-${name}`)],
    [`bright${name.charAt(0).toUpperCase()}${name.slice(1)}`, token(`--term-bright-${name}`)],
  ]);
  return {
    ...Object.fromEntries(colours),
    background: token("--panel"),
    foreground: token("--text"),
    cursor: token("--accent"),
    cursorAccent: token("--panel"),
    selectionBackground: token("--term-selection"),
    selectionInactiveBackground: token("--term-selection"),
    scrollbarSliderBackground: token("--line"),
    scrollbarSliderHoverBackground: token("--line-strong"),
    scrollbarSliderActiveBackground: token("--line-strong"),
  };
}

/** A program's own colours are drawn so that they can be read. */
export const contrast = (): number =>
  document.documentElement.dataset.contrast === "more" ? 7 : 4.5;

export const matchColours = (): ISearchDecorationOptions => ({
  matchBackground: token("--term-match"),
  activeMatchBackground: token("--term-match-front"),
  matchOverviewRuler: token("--wait-line"),
  activeMatchColorOverviewRuler: token("--accent"),
});

/** Calls whenever the page changes its look. */
export function onLook(changed: () => void): () => void {
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributeFilter: ["data-theme", "data-contrast"] });
  return () => watch.disconnect();
}

export const monospace = (): string => token("--mono-family");

/** Light, dark, or as the system says. */

import { create } from "zustand";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "manyhands.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", showTheme);

export const useTheme = create<{ theme: Theme }>(() => ({ theme: storedTheme() }));

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  useTheme.setState({ theme });
  showTheme();
}

/** Puts the theme on the page; one set of tokens, so "system" is settled here, not in CSS. */
export function showTheme(): void {
  const { theme } = useTheme.getState();
  const shown = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  document.documentElement.dataset.theme = shown;
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

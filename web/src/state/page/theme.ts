/** Light, dark or as the system says; more contrast; motion or none. */

import { stored } from "./stored";

export const THEMES = ["system", "light", "dark"] as const;
export const CONTRASTS = ["system", "normal", "more"] as const;
export const MOTIONS = ["system", "full", "still"] as const;
export type Theme = (typeof THEMES)[number];
export type Contrast = (typeof CONTRASTS)[number];
export type Motion = (typeof MOTIONS)[number];

interface Look {
  readonly theme: Theme;
  readonly contrast: Contrast;
  readonly motion: Motion;
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const more = matchMedia("(prefers-contrast: more)");
const still = matchMedia("(prefers-reduced-motion: reduce)");
for (const wish of [dark, more, still]) wish.addEventListener("change", showTheme);

export const useTheme = stored<Look>("look", {
  theme: "system",
  contrast: "system",
  motion: "system",
});
useTheme.subscribe(showTheme);

export function setTheme(theme: Theme): void {
  useTheme.setState({ theme });
}

export function setContrast(contrast: Contrast): void {
  useTheme.setState({ contrast });
}

export function setMotion(motion: Motion): void {
  useTheme.setState({ motion });
}

/** Puts the look on the page; one set of tokens, so "system" is settled here, not in CSS. */
export function showTheme(): void {
  const { theme, contrast, motion } = useTheme.getState();
  const { dataset } = document.documentElement;
  dataset.theme = settled(theme, dark.matches ? "dark" : "light");
  dataset.contrast = settled(contrast, more.matches ? "more" : "normal");
  dataset.motion = settled(motion, still.matches ? "still" : "full");
}

function settled(chosen: string, system: string): string {
  return chosen === "system" ? system : chosen;
}

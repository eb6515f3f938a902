import type { Ink } from "../../state/session/marks";

/** The pen's colours, the same in every theme. */
export function inkOf(): Ink {
  const style = getComputedStyle(document.documentElement);
  return { line: style.getPropertyValue("--pen"), edge: style.getPropertyValue("--pen-edge") };
}

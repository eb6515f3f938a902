/** A text as one task, or as a list of them. */

const MARKER = /^\s*(?:[-*•]\s+(?:\[[ xX]?\]\s+)?|\d+[.)]\s+|\[[ xX]?\]\s+)/;

/** One task per line that says something; marks of a pasted list are left out. */
export function tasksOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replace(MARKER, "").trim())
    .filter((line) => line !== "");
}

/** Whether the text looks like a list: several lines, each with a mark. */
export function isList(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => MARKER.test(line));
}

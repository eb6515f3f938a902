/** Output of programs as text: without the escape sequences that steer a terminal. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const SEQUENCES = /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[[(][0-?]*[ -/]*[@-~]|.)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
/** They make text read in another order than it stands. */
const BIDI = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;

export function plainText(output: string): string {
  return overwritten(output.replace(SEQUENCES, "")).replace(CONTROLS, "");
}

/** Marks what would turn text around, so that a name reads as it is stored. */
export function visibleBidi(text: string): string {
  return text.replace(BIDI, (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase()}›`);
}

/** A progress bar writes its line again and again: only the last state is left. */
function overwritten(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .split("\n")
    .map((line) => line.replace(/\r+$/, ""))
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");
}

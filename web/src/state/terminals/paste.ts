/** Text on its way from the clipboard into a terminal. */

/** With these a program is told that the pasted text ends, and that what follows was typed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const END = /(?:\u001b\[|\u009b)201~/g;

/** Without the end marker, however it is hidden: taking one out may make another. */
export function pasteable(text: string): string {
  let before = text;
  for (;;) {
    const after = before.replace(END, "");
    if (after === before) return after;
    before = after;
  }
}

const MOST_COPIED = 1_000_000;

/** What a program wants on the clipboard (OSC 52); nothing where it asks what is there. */
export function copiedBy(sequence: string): string | null {
  const [, payload = ""] = sequence.split(";");
  if (payload === "?" || payload === "" || payload.length > MOST_COPIED) return null;
  try {
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return null;
  }
}

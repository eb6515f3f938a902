/** Characters that a reader cannot see or that reorder the text around them, made visible. */

/** First and last of each stretch, by code point. */
const STRETCHES: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
];
const hex = (code: number) => `\\u{${code.toString(16)}}`;
const CLASS = STRETCHES.map(([from, to]) => `${hex(from)}-${hex(to)}`).join("");
const ODD = new RegExp(`[${CLASS}]`, "u");
const EVERY_ODD = new RegExp(`[${CLASS}]`, "gu");

export interface Shown {
  readonly text: string;
  /** Where the text stands for an odd character. */
  readonly odd: boolean;
  readonly at: number;
}

export function isOdd(text: string): boolean {
  return ODD.test(text);
}

export function visible(text: string): Shown[] {
  if (!isOdd(text)) return [{ text, odd: false, at: 0 }];
  const parts: Shown[] = [];
  let from = 0;
  for (const found of text.matchAll(EVERY_ODD)) {
    if (found.index > from) {
      parts.push({ text: text.slice(from, found.index), odd: false, at: from });
    }
    parts.push({ text: nameOf(found[0]), odd: true, at: found.index });
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), odd: false, at: from });
  return parts;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0d) return "␍";
  if (code === 0x1b) return "␛";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

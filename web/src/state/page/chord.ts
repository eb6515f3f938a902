/**
 * Keys as text: `n`, `g i`, `Shift+Enter`, `$mod+k`, `Alt+1`; `$mod` is ⌘ on a Mac, else Ctrl.
 *
 * A character that needs Shift to type (`?`) is written as itself.
 */

export const MAC = /Mac|iP(hone|ad|od)/.test(globalThis.navigator?.platform ?? "");
const MODIFIERS = ["Control", "Meta", "Alt", "Shift"];

export interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

export const isModifier = (key: string): boolean => MODIFIERS.includes(key);

/** The chord that was pressed, in the one spelling under which it is looked up. */
export function chordOf(event: Pressed, mac = MAC): string {
  const key = keyOf(event);
  const shifted = event.shiftKey && (key.length > 1 || /[a-z0-9]/.test(key));
  const modifiers = [
    (mac ? event.metaKey : event.ctrlKey) && "$mod",
    (mac ? event.ctrlKey : event.metaKey) && (mac ? "Ctrl" : "Meta"),
    event.altKey && "Alt",
    shifted && "Shift",
  ];
  return [...modifiers.filter(Boolean), key].join("+");
}

/** With Alt, a Mac types other characters; the key's own place tells which it is. */
function keyOf({ key, code, altKey, shiftKey }: Pressed): string {
  const place = /^(?:Key([A-Z])|Digit([0-9]))$/.exec(code);
  if (altKey && place !== null) return (place[1] ?? place[2] ?? "").toLowerCase();
  if (shiftKey && place?.[2] !== undefined && key.length > 1) return place[2];
  return key === " " ? "Space" : key.length === 1 ? key.toLowerCase() : key;
}

/**
 * The keys as tinykeys reads them: with Alt by the key's place, since a Mac types other characters
 * then, and a character with or without the Shift that a keyboard may need for it.
 */
export function spelled(keys: string): string {
  return keys
    .split(" ")
    .map((chord) =>
      chord
        .replace(/\bCtrl\b/, "Control")
        .replace(
          /(Alt\+(?:Shift\+)?)([a-z])$/,
          (_, held, letter) => `${held}Key${letter.toUpperCase()}`,
        )
        .replace(/(Alt\+(?:Shift\+)?)([0-9])$/, "$1Digit$2")
        .replace(/(^|\+)([^\w+]|\+)$/, "$1[Shift]+$2"),
    )
    .join(" ");
}

const GLYPHS: Readonly<Record<string, string>> = {
  $mod: MAC ? "⌘" : "Ctrl",
  Backquote: "`",
  Shift: MAC ? "⇧" : "Shift",
  Alt: MAC ? "⌥" : "Alt",
  Enter: "⏎",
  Escape: "Esc",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
};

/** As a person reads it: `Ctrl K`, `g i`. */
export function keyText(keys: string): string {
  return keys.split(" ").map(chordText).join(" ");
}

function chordText(chord: string): string {
  const parts = chord.split("+").map((part) => GLYPHS[part] ?? part);
  const last = parts.at(-1) ?? "";
  const name = parts.length > 1 && last.length === 1 ? last.toUpperCase() : last;
  return [...parts.slice(0, -1), name].join(" ");
}

import type { PointerEvent } from "react";
import type { Screen } from "./screen/screen";

interface Props {
  readonly screen: Screen;
  readonly ctrl: boolean;
  readonly onCtrl: (held: boolean) => void;
}

const ESC = "\u001b";
/** Arrows as they are sent; a program may have asked for the others. */
const KEYS: readonly (readonly [sign: string, label: string, data: string])[] = [
  ["Esc", "Escape", ESC],
  ["Tab", "Tab", "\t"],
  ["←", "Left", "D"],
  ["↓", "Down", "B"],
  ["↑", "Up", "A"],
  ["→", "Right", "C"],
];

/** The keys that a phone's keyboard has not; the one that is there stays open. */
export function TouchKeys({ screen, ctrl, onCtrl }: Props) {
  const stay = (event: PointerEvent) => event.preventDefault();
  const type = (data: string) => {
    const lead = screen.term.modes.applicationCursorKeysMode ? `${ESC}O` : `${ESC}[`;
    screen.type(/^[A-D]$/.test(data) ? lead + data : data);
    screen.focus();
  };
  return (
    <div className="touch-keys" role="toolbar" aria-label="Keys">
      <button
        type="button"
        aria-pressed={ctrl}
        onPointerDown={stay}
        onClick={() => {
          onCtrl(!ctrl);
          screen.focus();
        }}
      >
        Ctrl
      </button>
      {KEYS.map(([sign, label, data]) => (
        <button
          type="button"
          key={label}
          aria-label={label}
          onPointerDown={stay}
          onClick={() => type(data)}
        >
          {sign}
        </button>
      ))}
    </div>
  );
}

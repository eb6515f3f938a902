import { type KeyboardEvent, useState } from "react";
import { chordOf, isModifier, keyText } from "../../state/page/chord";
import {
  type Known,
  keyInForce,
  setKey,
  useKeySettings,
  useKnownKeys,
} from "../../state/page/keys";

interface Props {
  readonly known: Known;
  readonly changing: boolean;
  readonly onChanging: (id: string) => void;
}

/** One key: what it does, and a button that waits for another one. */
export function KeyRow({ known, changing, onChanging }: Props) {
  const { id, key, label, active } = known;
  const own = useKeySettings((settings) => settings.own[id]);
  const [taken, setTaken] = useState("");
  const take = (event: KeyboardEvent) => {
    if (!changing || isModifier(event.key) || event.key === "Tab") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return onChanging("");
    const chosen = event.key === "Backspace" ? "" : chordOf(event.nativeEvent);
    const rival = chosen === "" ? undefined : rivalOf(known, chosen);
    setTaken(rival === undefined ? "" : `${keyText(chosen)} is “${rival}”`);
    if (rival !== undefined) return undefined;
    setKey(id, chosen === key ? null : chosen);
    return onChanging("");
  };
  const inForce = own ?? key;
  const shown = inForce === "" ? "none" : keyText(inForce);
  return (
    <div className="key-row" data-active={active}>
      <span>
        {label}
        {changing && <small>{taken || "Press the new key; Backspace takes it away"}</small>}
      </span>
      <button
        type="button"
        className="kbd"
        aria-label={`Change ${label}, now ${shown}`}
        data-own={own !== undefined || undefined}
        onClick={() => onChanging(changing ? "" : id)}
        onBlur={() => changing && onChanging("")}
        onKeyDown={take}
      >
        {changing ? "…" : shown}
      </button>
    </div>
  );
}

/** Whoever has that key already, in the same scope or over the whole page. */
function rivalOf({ id, scope }: Known, chosen: string): string | undefined {
  return useKnownKeys
    .getState()
    .known.find(
      (one) =>
        one.id !== id &&
        (one.scope === scope || one.scope === "page" || scope === "page") &&
        keyInForce(one.scope, one.key) === chosen,
    )?.label;
}

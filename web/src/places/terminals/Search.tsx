import { type KeyboardEvent, useEffect, useState } from "react";
import { Icon } from "../../parts/Icon";
import { matchColours } from "./screen/colours";
import type { Screen } from "./screen/screen";

interface Props {
  readonly screen: Screen;
  readonly onClose: () => void;
}

interface Found {
  readonly at: number;
  readonly of: number;
}

/** Finds in the screen and its scrollback, the latest first. */
export function Search({ screen, onClose }: Props) {
  const [query, setQuery] = useState("");
  const [exact, setExact] = useState(false);
  const [pattern, setPattern] = useState(false);
  const [found, setFound] = useState<Found>({ at: -1, of: 0 });
  useEffect(() => {
    const end = screen.search.onDidChangeResults(({ resultIndex, resultCount }) =>
      setFound({ at: resultIndex, of: resultCount }),
    );
    return () => {
      end.dispose();
      screen.search.clearDecorations();
    };
  }, [screen]);
  const isPattern = pattern && isRegular(query);
  const find = (back: boolean, incremental = false) => {
    const options = {
      caseSensitive: exact,
      regex: isPattern,
      incremental,
      decorations: matchColours(),
    };
    if (back) screen.search.findPrevious(query, options);
    else screen.search.findNext(query, options);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another wish is another search
  useEffect(() => find(true, true), [query, exact, isPattern]);
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter") find(!event.shiftKey);
    else return;
    event.preventDefault();
  };
  return (
    <search className="term-search" onKeyDown={press}>
      <input
        className="field"
        aria-label="Search in the terminal"
        placeholder="Search"
        value={query}
        // biome-ignore lint/a11y/noAutofocus: it appears because the person asked to write here
        autoFocus
        onChange={(event) => setQuery(event.target.value)}
      />
      <output data-testid="found">{saidOf(query, found)}</output>
      <Toggle label="Match case" sign="Aa" on={exact} onChange={setExact} />
      <Toggle label="Regular expression" sign=".*" on={pattern} onChange={setPattern} />
      <Step icon="up" label="The one above (Enter)" onPress={() => find(true)} />
      <Step icon="down" label="The one below (Shift Enter)" onPress={() => find(false)} />
      <Step icon="close" label="Close the search (Esc)" onPress={onClose} />
    </search>
  );
}

function saidOf(query: string, { at, of }: Found): string {
  if (query === "") return "";
  if (of === 0) return "none";
  return at < 0 ? `${of}` : `${at + 1} of ${of}`;
}

function isRegular(query: string): boolean {
  try {
    new RegExp(query);
    return true;
  } catch {
    return false;
  }
}

interface ToggleProps {
  readonly label: string;
  readonly sign: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}

function Toggle({ label, sign, on, onChange }: ToggleProps) {
  return (
    <button
      type="button"
      className="term-tool"
      aria-label={label}
      aria-pressed={on}
      title={label}
      onClick={() => onChange(!on)}
    >
      {sign}
    </button>
  );
}

interface StepProps {
  readonly icon: "up" | "down" | "close";
  readonly label: string;
  readonly onPress: () => void;
}

function Step({ icon, label, onPress }: StepProps) {
  return (
    <button type="button" className="term-tool" aria-label={label} title={label} onClick={onPress}>
      <Icon name={icon} />
    </button>
  );
}

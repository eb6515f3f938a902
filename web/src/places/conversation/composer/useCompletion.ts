/** Offers files after `@` and commands after `/` while a message is written. */

import { type AriaAttributes, type KeyboardEvent, type RefObject, useId, useState } from "react";
import { fetchFiles } from "../../../api/insight";
import type { AgentCommand, SessionView } from "../../../api/types.gen";
import { EMPTY } from "../../../state/session/conversation";
import { useConversations } from "../../../state/session/conversations";
import { type Asked, askedAt, bestPaths, completed } from "./completion";

export interface Choice {
  readonly value: string;
  readonly says: string;
}

export interface Completion {
  readonly list: string;
  readonly choices: readonly Choice[];
  readonly at: number;
  readonly aria: AriaAttributes;
  readonly look: (box: HTMLTextAreaElement) => void;
  readonly press: (event: KeyboardEvent) => boolean;
  readonly choose: (choice: Choice) => void;
  readonly close: () => void;
}

const MOST = 8;
/** The names are asked for again when a person begins another `@` after this time. */
const FRESH_MS = 10_000;

export function useCompletion(
  session: SessionView,
  text: string,
  change: (text: string) => void,
  box: RefObject<HTMLTextAreaElement | null>,
): Completion {
  const list = useId();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [at, setAt] = useState(0);
  const paths = usePaths(session.id);
  const commands = useConversations(({ open }) => (open[session.id] ?? EMPTY).commands);
  const choices = asked === null ? [] : choicesFor(commands, asked, paths.known);
  const close = () => setAsked(null);
  const look = (area: HTMLTextAreaElement) => {
    const next = area.selectionStart === area.selectionEnd ? found(area) : null;
    if (next?.kind === "file") paths.ask();
    if (next?.query !== asked?.query || next?.from !== asked?.from) setAt(0);
    setAsked(next);
  };
  const choose = (choice: Choice) => {
    if (asked === null) return;
    const [next, caret] = completed(text, asked, choice.value);
    change(next);
    close();
    requestAnimationFrame(() => box.current?.setSelectionRange(caret, caret));
  };
  const press = (event: KeyboardEvent): boolean => {
    if (choices.length === 0 || event.nativeEvent.isComposing) return false;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const choice = choices[at];
    if (by !== undefined) setAt((choices.length + at + by) % choices.length);
    else if ((event.key === "Enter" || event.key === "Tab") && choice) choose(choice);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const open = choices.length > 0;
  const aria: Completion["aria"] = open
    ? {
        "aria-controls": list,
        "aria-autocomplete": "list",
        "aria-activedescendant": `${list}-${at}`,
      }
    : {};
  return { list, choices, at, aria, look, press, choose, close };
}

function found(area: HTMLTextAreaElement): Asked | null {
  return askedAt(area.value, area.selectionStart);
}

function usePaths(session: string): { known: readonly string[]; ask: () => void } {
  const [known, setKnown] = useState<readonly string[]>([]);
  const [last, setLast] = useState(0);
  const ask = () => {
    if (Date.now() - last < FRESH_MS) return;
    setLast(Date.now());
    fetchFiles(session).then(
      ({ paths }) => setKnown(paths),
      () => setLast(0),
    );
  };
  return { known, ask };
}

function choicesFor(
  commands: readonly AgentCommand[],
  asked: Asked,
  paths: readonly string[],
): readonly Choice[] {
  if (asked.kind === "file") {
    return bestPaths(paths, asked.query, MOST).map((value) => ({ value, says: "" }));
  }
  const plain = commands.map(({ name, description }) => ({
    value: name.replace(/^\//, ""),
    says: description,
  }));
  const names = new Set(
    bestPaths(
      plain.map(({ value }) => value),
      asked.query,
      MOST,
    ),
  );
  return plain.filter(({ value }) => names.has(value));
}

/**
 * Every key of the page: who listens for it, what it is called, and what a person made of it.
 *
 * `useKeys("inbox", { j: { label: "Next card", run } })` binds while the component is shown. Of
 * several that want the same key the one bound last wins, so a place overrides the page. Plain keys
 * never fire where a person types, in a terminal, while an IME composes, or under an open dialog
 * (scope `dialog` aside); they can be turned off, and any key can be changed. The default key is
 * the binding's name: `scope:key`.
 */

import { useEffect, useRef } from "react";
import { matchKeybindingPress, parseKeybinding } from "tinykeys";
import { create } from "zustand";
import { isModifier, spelled } from "./chord";
import { isCovered } from "./screen";
import { stored } from "./stored";

export interface Binding {
  readonly label: string;
  readonly run: (event: KeyboardEvent) => void;
  /** Whether holding it down repeats it. */
  readonly repeats?: boolean;
}
export type Bindings = Readonly<Record<string, Binding>>;

export interface Known {
  readonly id: string;
  readonly scope: string;
  readonly label: string;
  /** The default; `keyOf` tells the one in force. */
  readonly key: string;
  readonly active: boolean;
}

interface Listener {
  readonly scope: string;
  readonly key: string;
  readonly binding: () => Binding | undefined;
}

interface KeySettings {
  /** Single letters and sequences of them. */
  readonly plain: boolean;
  /** By binding id; an empty one takes the key away. */
  readonly own: Readonly<Record<string, string>>;
}

export const DIALOG = "dialog";
const SEQUENCE_MS = 3000;

export const useKeySettings = stored<KeySettings>("keys", { plain: true, own: {} });
export const useKnownKeys = create<{ known: readonly Known[] }>(() => ({ known: [] }));

let listeners: readonly Listener[] = [];
/** The presses of a sequence that has begun. */
let begun: readonly KeyboardEvent[] = [];

/** Binds the keys while the component is shown; the newest functions are the ones called. */
export function useKeys(scope: string, bindings: Bindings): void {
  const current = useRef(bindings);
  current.current = bindings;
  const names = Object.keys(bindings).join("\n");
  useEffect(() => {
    if (names === "") return undefined;
    const own = names.split("\n").map((key) => ({
      scope,
      key,
      binding: () => current.current[key],
    }));
    return listen(own);
  }, [scope, names]);
}

export function listen(own: readonly Listener[]): () => void {
  listeners = [...listeners, ...own];
  tell(own);
  return () => {
    listeners = listeners.filter((listener) => !own.includes(listener));
    tell([]);
  };
}

export const keyId = (scope: string, key: string): string => `${scope}:${key}`;

/** The key in force for a binding. */
export function keyInForce(scope: string, key: string): string {
  return useKeySettings.getState().own[keyId(scope, key)] ?? key;
}

/** Does what the binding's key would do. */
export function runKey(id: string): void {
  const found = listeners.findLast(({ scope, key }) => keyId(scope, key) === id);
  found?.binding()?.run(new KeyboardEvent("keydown"));
}

/** Another key for a binding, none with an empty one, the usual one with null. */
export function setKey(id: string, key: string | null): void {
  const { [id]: _, ...own } = useKeySettings.getState().own;
  useKeySettings.setState({ own: key === null ? own : { ...own, [id]: key } });
}

export function setPlainKeys(plain: boolean): void {
  useKeySettings.setState({ plain });
}

export function resetKeys(): void {
  useKeySettings.setState({ plain: true, own: {} });
}

/** Remembers every binding that was ever shown, for the list of keys. */
function tell(fresh: readonly Listener[]): void {
  const active = new Set(listeners.map(({ scope, key }) => keyId(scope, key)));
  const known = new Map(useKnownKeys.getState().known.map((one) => [one.id, one]));
  for (const { scope, key, binding } of fresh) {
    const id = keyId(scope, key);
    known.set(id, { id, scope, key, label: binding()?.label ?? "", active: true });
  }
  const all = [...known.values()].map((one) => ({ ...one, active: active.has(one.id) }));
  useKnownKeys.setState({ known: all });
}

/** The one listener of the page. */
export function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || isComposing(event) || isModifier(event.key)) return;
  if (!isFree(event)) return;
  const last = begun.at(-1);
  const goesOn = last !== undefined && event.timeStamp - last.timeStamp < SEQUENCE_MS;
  const found = (goesOn && bound([...begun, event])) || bound([event]);
  begun = [];
  if (found) {
    event.preventDefault();
    if (!event.repeat || found.repeats) found.run(event);
  } else if (begins(event) && !event.repeat) {
    begun = [event];
  }
}

function bound(presses: readonly KeyboardEvent[]): Binding | undefined {
  return inReach()
    .findLast((one) => {
      const wanted = pressesOf(one);
      return wanted.length === presses.length && presses.every((done, n) => fits(done, wanted[n]));
    })
    ?.binding();
}

function begins(event: KeyboardEvent): boolean {
  return inReach().some((one) => {
    const wanted = pressesOf(one);
    return wanted.length > 1 && fits(event, wanted[0]);
  });
}

type Press = ReturnType<typeof parseKeybinding>[number];

const fits = (event: KeyboardEvent, press: Press | undefined): boolean =>
  press !== undefined && matchKeybindingPress(event, press);

function pressesOf({ scope, key }: Listener): readonly Press[] {
  const keys = keyInForce(scope, key);
  return keys === "" ? [] : parseKeybinding(spelled(keys));
}

/** Under an open dialog only its own keys are in reach. */
function inReach(): readonly Listener[] {
  return isCovered() ? listeners.filter(({ scope }) => scope === DIALOG) : listeners;
}

function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

const WRITING = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select";
const TERMINAL = ".xterm, [data-terminal]";

function isFree(event: KeyboardEvent): boolean {
  const at = event.target instanceof Element ? event.target : null;
  const isCommand = event.ctrlKey || event.metaKey;
  if (at?.closest(TERMINAL)) return isCommand && (event.shiftKey || event.code === "Backquote");
  if (isCommand || event.altKey) return true;
  if (!useKeySettings.getState().plain && event.key !== "Escape") return false;
  return !(at?.closest(WRITING) || (at instanceof HTMLElement && at.isContentEditable));
}

if (typeof window !== "undefined") window.addEventListener("keydown", press);

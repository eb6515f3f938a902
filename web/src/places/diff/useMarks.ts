/** What a person has unfolded, asked for and pointed at in one diff. */

import { useState } from "react";
import type { FileDiff } from "../../state/diff/diffFiles";
import type { Place } from "./actions";
import type { Expansion } from "./rows/context";

export interface Range {
  readonly from: Place;
  readonly to: Place;
}

export interface Cursor {
  readonly path: string;
  readonly key: string;
}

type Set_<T> = (change: (before: T) => T) => void;

export interface Marks {
  readonly folded: ReadonlyMap<string, boolean>;
  readonly forced: ReadonlySet<string>;
  readonly expansions: ReadonlyMap<string, Expansion>;
  readonly since: ReadonlyMap<string, FileDiff>;
  readonly range: Range | null;
  readonly cursor: Cursor | null;
  readonly setFolded: Set_<ReadonlyMap<string, boolean>>;
  readonly setForced: Set_<ReadonlySet<string>>;
  readonly setExpansions: Set_<ReadonlyMap<string, Expansion>>;
  readonly setSince: Set_<ReadonlyMap<string, FileDiff>>;
  readonly setRange: Set_<Range | null>;
  readonly setCursor: Set_<Cursor | null>;
}

export function useMarks(): Marks {
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [forced, setForced] = useState<ReadonlySet<string>>(new Set());
  const [expansions, setExpansions] = useState<ReadonlyMap<string, Expansion>>(new Map());
  const [since, setSince] = useState<ReadonlyMap<string, FileDiff>>(new Map());
  const [range, setRange] = useState<Range | null>(null);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  return {
    ...{ folded, forced, expansions, since, range, cursor },
    ...{ setFolded, setForced, setExpansions, setSince, setRange, setCursor },
  };
}

export function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

export function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  const next = new Map(map);
  next.delete(key);
  return next;
}

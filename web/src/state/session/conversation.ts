/**
 * A conversation as a fold of its events, with the words on their way laid on top.
 *
 * Stored events arrive once each and in order; those at or below `seq` are known and skipped.
 * A live text is replaced by the finished message of the same id. A conversation beside the main
 * one is folded by itself, under its own id in `asides`.
 */

import type { AgentCommand, AnyEvent, Attention, Outcome, TextDelta } from "../../api/types.gen";
import type { Answered } from "../inbox/attention";
import { noteOf } from "./note";
import { type Todo, todosOf } from "./todos";

export type Item =
  | UserItem
  | { kind: "agent"; id: string; text: string; parent: string }
  | { kind: "thought"; id: string; text: string; parent: string }
  | ToolItem
  | {
      kind: "turn";
      id: string;
      turn: number;
      outcome: Outcome;
      error: string;
      seconds: number;
      usd: number;
      /** The state of the files at the turn's end, once it was kept. */
      checkpoint: string;
    }
  | { kind: "note"; id: string; text: string; bad: boolean }
  | PictureItem
  | { kind: "attention"; id: string; item: Answered };

export interface UserItem {
  readonly kind: "user";
  readonly id: string;
  readonly text: string;
  readonly steer: boolean;
  readonly byHub: boolean;
  readonly delivered: boolean;
  readonly attachments: readonly string[];
}

/** A picture of the session's preview. */
export interface PictureItem {
  readonly kind: "picture";
  readonly id: string;
  readonly picture: string;
  readonly service: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly status: number;
  readonly problems: readonly string[];
}

export interface ToolItem {
  readonly kind: "tool";
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string | null;
  /** Of the whole output, of which only a part may be here. */
  readonly bytes: number;
  readonly failed: boolean;
  readonly at: string;
  readonly seconds: number;
  readonly parent: string;
}

/** Words that are being said; `points` counts them as the hub does, in code points. */
export interface Saying {
  readonly id: string;
  readonly text: string;
  readonly points: number;
  readonly thinking: boolean;
  readonly parent: string;
}

export const MAIN = "main";

export interface Conversation {
  /** Every stored event, as it came. */
  readonly events: readonly AnyEvent[];
  readonly asides: Readonly<Record<string, Conversation>>;
  readonly items: readonly Item[];
  /** Where an item stands, by its id; items come at the end and never move, so all versions share it. */
  readonly places: ReadonlyMap<string, number>;
  readonly todos: readonly Todo[];
  /** What the agent offers to be told by a slash. */
  readonly commands: readonly AgentCommand[];
  readonly saying: readonly Saying[];
  readonly seq: number;
  readonly turnStart: string;
  readonly turnUsd: number;
}

export const EMPTY: Conversation = {
  events: [],
  asides: {},
  items: [],
  places: new Map(),
  todos: [],
  commands: [],
  saying: [],
  seq: 0,
  turnStart: "",
  turnUsd: 0,
};

interface Draft {
  events: AnyEvent[];
  asides: Readonly<Record<string, Conversation>>;
  items: Item[];
  todos: readonly Todo[];
  commands: readonly AgentCommand[];
  places: Map<string, number>;
  saying: readonly Saying[];
  seq: number;
  turnStart: string;
  turnUsd: number;
}

export function fold(before: Conversation, events: readonly AnyEvent[]): Conversation {
  return foldWith(before, events, foldAside);
}

/** Of a conversation whose events are all its own. */
function foldOwn(before: Conversation, events: readonly AnyEvent[]): Conversation {
  return foldWith(before, events, () => false);
}

function foldWith(
  before: Conversation,
  events: readonly AnyEvent[],
  isAside: (draft: Draft, event: AnyEvent) => boolean,
): Conversation {
  const fresh = events.filter((event) => event.seq > before.seq);
  if (fresh.length === 0) return before;
  const draft: Draft = {
    ...before,
    events: before.events.concat(fresh),
    items: [...before.items],
    places: before.places === EMPTY.places ? new Map() : (before.places as Map<string, number>),
  };
  for (const event of fresh) {
    draft.seq = Math.max(draft.seq, event.seq);
    if (isAside(draft, event)) continue;
    apply(draft, event);
    draft.todos = todosOf(event) ?? draft.todos;
    if (event.type === "commands_listed") draft.commands = event.commands ?? [];
  }
  return draft;
}

/** Which of the session's conversations an event or a frame belongs to. */
export function talkOf({ conversation = MAIN }: { readonly conversation?: string }): string {
  return conversation || MAIN;
}

/** Whether the event was one of a conversation beside the main one, which has it now. */
function foldAside(draft: Draft, event: AnyEvent): boolean {
  const id = event.type === "attention_resolved" ? asking(draft, event.item) : askedIn(event);
  if (id === MAIN) return false;
  const aside = foldOwn(draft.asides[id] ?? EMPTY, [event]);
  draft.asides = { ...draft.asides, [id]: aside };
  return true;
}

function askedIn(event: AnyEvent): string {
  return talkOf("item" in event && typeof event.item === "object" ? event.item : event);
}

/** An answer does not say where the question stood. */
function asking(draft: Draft, item: string): string {
  const holds = ([, { items }]: [string, Conversation]) => items.some(({ id }) => id === item);
  return Object.entries(draft.asides).find(holds)?.[0] ?? MAIN;
}

/** The conversation with a live frame laid on it; a frame that leaves a gap is let go. */
export function lay(before: Conversation, frame: TextDelta): Conversation {
  const talk = talkOf(frame);
  if (talk === MAIN) return layOwn(before, frame);
  const aside = layOwn(before.asides[talk] ?? EMPTY, frame);
  return { ...before, asides: { ...before.asides, [talk]: aside } };
}

function layOwn(before: Conversation, frame: TextDelta): Conversation {
  if (before.places.has(frame.message)) return before;
  const known = before.saying.find((saying) => saying.id === frame.message);
  const points = known?.points ?? 0;
  if (frame.offset > points) return before;
  const kept =
    frame.offset === points ? (known?.text ?? "") : head(known?.text ?? "", frame.offset);
  const said: Saying = {
    id: frame.message,
    text: kept + frame.text,
    points: frame.offset + [...frame.text].length,
    thinking: frame.thinking,
    parent: frame.parent,
  };
  const saying = known
    ? before.saying.map((other) => (other === known ? said : other))
    : [...before.saying, said];
  return { ...before, saying };
}

function head(text: string, points: number): string {
  return [...text].slice(0, points).join("");
}

function apply(draft: Draft, event: AnyEvent): void {
  switch (event.type) {
    case "user_message":
      return said(draft, event);
    case "message_typed":
      return typed(draft, event);
    case "message_delivered":
      return update(draft, event.message, (item) =>
        item.kind === "user" ? { ...item, delivered: true } : item,
      );
    case "agent_message":
    case "agent_thought":
      return finished(draft, event);
    case "tool_called":
    case "tool_finished":
      return tool(draft, event);
    case "turn_started":
      draft.turnStart = event.at;
      draft.turnUsd = 0;
      return;
    case "usage_recorded":
      draft.turnUsd += event.cost_usd ?? 0;
      return;
    case "turn_finished":
      return turnFinished(draft, event);
    case "checkpoint_made":
      return checkpoint(draft, event.turn ?? 0, event.checkpoint);
    case "plan_proposed":
    case "permission_requested":
    case "question_asked":
    case "attention_raised":
      return put(draft, { kind: "attention", id: event.item.id, item: event.item });
    case "attention_resolved":
      return update(draft, event.item, (item) =>
        item.kind === "attention" ? { ...item, item: answered(item.item, event) } : item,
      );
    case "picture_taken": {
      const { picture, service, path, width, height, status = 0, problems = [] } = event;
      const about = { picture, service, path, width, height, status, problems };
      return put(draft, { kind: "picture", id: `picture-${event.seq}`, ...about });
    }
    case "agent_exited":
      draft.saying = [];
      return note(draft, event);
    default:
      return note(draft, event);
  }
}

function answered(
  item: Attention,
  { resolution, at, asked_by = null }: Extract<AnyEvent, { type: "attention_resolved" }>,
): Answered {
  return { ...item, resolution, resolved_at: at, asked_by };
}

function said(draft: Draft, event: Extract<AnyEvent, { type: "user_message" }>): void {
  put(draft, {
    kind: "user",
    id: event.message,
    text: event.text,
    steer: event.steer ?? false,
    byHub: event.by === "hub",
    delivered: false,
    attachments: (event.attachments ?? []).map(({ name }) => name),
  });
}

/** In the agent's own program, which has it already. */
function typed(draft: Draft, event: Extract<AnyEvent, { type: "message_typed" }>): void {
  put(draft, {
    kind: "user",
    id: event.message,
    text: event.text,
    steer: false,
    byHub: false,
    delivered: true,
    attachments: [],
  });
}

function finished(
  draft: Draft,
  event: Extract<AnyEvent, { type: "agent_message" | "agent_thought" }>,
): void {
  const kind = event.type === "agent_message" ? "agent" : "thought";
  draft.saying = draft.saying.filter((saying) => saying.id !== event.message);
  put(draft, { kind, id: event.message, text: event.text, parent: event.parent ?? "" });
}

function tool(
  draft: Draft,
  event: Extract<AnyEvent, { type: "tool_called" | "tool_finished" }>,
): void {
  if (event.type === "tool_finished") {
    update(draft, event.call, (item) =>
      item.kind === "tool"
        ? {
            ...item,
            // What the call is may be known only at its end.
            ...(event.input ? { tool: event.tool, input: event.input } : {}),
            output: event.output ?? "",
            bytes: event.output_bytes ?? 0,
            failed: event.is_error ?? false,
            seconds: secondsBetween(item.at, event.at),
          }
        : item,
    );
    return;
  }
  put(draft, {
    kind: "tool",
    id: event.call,
    tool: event.tool,
    input: event.input ?? {},
    output: null,
    bytes: 0,
    failed: false,
    at: event.at,
    seconds: 0,
    parent: event.parent ?? "",
  });
}

function turnFinished(draft: Draft, event: Extract<AnyEvent, { type: "turn_finished" }>): void {
  draft.saying = [];
  put(draft, {
    kind: "turn",
    id: `turn-${event.seq}`,
    turn: event.turn ?? 0,
    outcome: event.outcome ?? "done",
    error: event.error ?? "",
    seconds: secondsBetween(draft.turnStart, event.at),
    usd: draft.turnUsd,
    checkpoint: "",
  });
}

/** The files at a turn's end were kept, under the turn's own number; those between turns are not its. */
function checkpoint(draft: Draft, turn: number, id: string): void {
  const end = draft.items.findLast((item) => item.kind === "turn" && item.turn === turn);
  if (end === undefined || id !== `${turn}`) return;
  update(draft, end.id, (item) => (item.kind === "turn" ? { ...item, checkpoint: id } : item));
}

function note(draft: Draft, event: AnyEvent): void {
  const found = noteOf(event);
  if (found !== null) put(draft, { kind: "note", id: `note-${event.seq}`, ...found });
}

/** Adds an item, or replaces the one of the same id where it stands. */
function put(draft: Draft, item: Item): void {
  const place = draft.places.get(item.id);
  if (place === undefined) {
    draft.places.set(item.id, draft.items.length);
    draft.items.push(item);
  } else {
    draft.items[place] = item;
  }
}

function update(draft: Draft, id: string, change: (item: Item) => Item): void {
  const place = draft.places.get(id);
  const item = place === undefined ? undefined : draft.items[place];
  if (place !== undefined && item !== undefined) draft.items[place] = change(item);
}

function secondsBetween(from: string, to: string): number {
  const span = (Date.parse(to) - Date.parse(from)) / 1000;
  return Number.isFinite(span) && span > 0 ? span : 0;
}

/** The conversations that were opened on this page, kept up to date from then on. */

import { create } from "zustand";
import { fetchEvents } from "../api/hub";
import type { Frame } from "../api/socket";
import type { AnyEvent } from "../api/types.gen";
import { type Conversation, EMPTY, fold, lay } from "./conversation";

interface Conversations {
  readonly open: Readonly<Record<string, Conversation>>;
}

export const useConversations = create<Conversations>(() => ({ open: {} }));

/** Frames that came while the history was still on its way. */
const held = new Map<string, Frame[]>();

/** Loads what is not known yet; frames that arrive meanwhile are laid on top. */
export async function loadConversation(id: string): Promise<void> {
  if (held.has(id)) return;
  held.set(id, []);
  try {
    const known = useConversations.getState().open[id] ?? EMPTY;
    let history = known;
    // Each page is taken by itself, so that a long history never stops the page.
    await fetchEvents(id, known.seq, (page) => {
      history = fold(history, page);
    });
    put(id, (held.get(id) ?? []).reduce(take, history));
  } finally {
    held.delete(id);
  }
}

/** After a connection that could not resume: every open conversation catches up from its own end. */
export async function reloadConversations(): Promise<void> {
  await Promise.all(Object.keys(useConversations.getState().open).map(loadConversation));
}

export function foldConversations(frames: readonly Frame[]): void {
  const { open } = useConversations.getState();
  const next: Record<string, Conversation> = {};
  for (const [id, own] of bySession(frames)) {
    const waiting = held.get(id);
    const before = open[id];
    if (waiting !== undefined) waiting.push(...own);
    else if (before !== undefined) next[id] = takeAll(before, own);
  }
  if (Object.keys(next).length > 0) useConversations.setState({ open: { ...open, ...next } });
}

function bySession(frames: readonly Frame[]): Map<string, Frame[]> {
  const found = new Map<string, Frame[]>();
  for (const frame of frames) {
    const id = frame.session ?? "";
    const own = found.get(id);
    if (own === undefined) found.set(id, [frame]);
    else own.push(frame);
  }
  return found;
}

/** Folds runs of events at once, so that a burst copies the conversation once. */
function takeAll(before: Conversation, frames: readonly Frame[]): Conversation {
  let after = before;
  let run: AnyEvent[] = [];
  for (const frame of frames) {
    if (!("live" in frame)) {
      run.push(frame);
      continue;
    }
    after = take(fold(after, run), frame);
    run = [];
  }
  return fold(after, run);
}

function take(before: Conversation, frame: Frame): Conversation {
  if (!("live" in frame)) return fold(before, [frame]);
  return frame.type === "text_delta" ? lay(before, frame) : before;
}

function put(id: string, conversation: Conversation): void {
  useConversations.setState(({ open }) => ({ open: { ...open, [id]: conversation } }));
}

/** The conversations that were opened on this page, each kept up to date while it is followed. */

import { create } from "zustand";
import type { Frame } from "../../api/socket";
import type { AnyEvent, Piece } from "../../api/types.gen";
import { type Conversation, EMPTY, fold, lay } from "./conversation";

interface Conversations {
  readonly open: Readonly<Record<string, Conversation>>;
}

export const useConversations = create<Conversations>(() => ({ open: {} }));

/** Histories of which more is on its way; shown once they are whole. */
const coming = new Map<string, Conversation>();

/** Up to which event a session's conversation is known. */
export function conversationKnown(id: string): number {
  return (coming.get(id) ?? useConversations.getState().open[id] ?? EMPTY).seq;
}

/** When words or work were last seen to stream. */
const heard = new Map<string, number>();
export const heardAt = (id: string): number => heard.get(id) ?? 0;

/** Takes what is told of the session; `past` is what happened before it was followed. */
export function foldConversation(id: string, { begins, past, frames = [] }: Piece): void {
  const { open } = useConversations.getState();
  // What was being said when it was joined may have been so for long.
  if (!begins && !coming.has(id) && frames.some((frame) => "live" in frame)) {
    heard.set(id, Date.now());
  }
  const after = takeAll(coming.get(id) ?? open[id] ?? EMPTY, frames);
  if (past) {
    coming.set(id, after);
  } else {
    coming.delete(id);
    useConversations.setState({ open: { ...open, [id]: after } });
  }
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
    after = fold(after, run);
    run = [];
    if (frame.type === "text_delta") after = lay(after, frame);
  }
  return fold(after, run);
}

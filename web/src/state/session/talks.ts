/** Which of a session's conversations is on the screen. */

import { create } from "zustand";
import { type Conversation, MAIN } from "./conversation";
import { useConversations } from "./conversations";

/** The one that begins with the next message. */
export const FRESH = "fresh";

const useTalks = create<{ readonly shown: Readonly<Record<string, string>> }>(() => ({
  shown: {},
}));

export function showTalk(session: string, talk: string): void {
  useTalks.setState(({ shown }) => ({ shown: { ...shown, [session]: talk } }));
}

/** The main one, unless a person chose another during this visit. */
export function useTalk(session: string): string {
  return useTalks(({ shown }) => shown[session] ?? MAIN);
}

/** Undefined until it is loaded. */
export function useWords(session: string, talk: string): Conversation | undefined {
  return useConversations(({ open }) =>
    talk === MAIN ? open[session] : open[session]?.asides[talk],
  );
}

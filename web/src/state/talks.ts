/** Which of a session's conversations is on the screen. */

import { create } from "zustand";
import type { SessionView } from "../api/types.gen";
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

/** The main one, unless a person chose another that is still there. */
export function useTalk({ id, conversations }: SessionView): string {
  const chosen = useTalks(({ shown }) => shown[id] ?? MAIN);
  const known = chosen === FRESH || conversations.some((one) => one.id === chosen);
  return known ? chosen : MAIN;
}

/** Undefined until it is loaded. */
export function useWords(session: string, talk: string): Conversation | undefined {
  return useConversations(({ open }) =>
    talk === MAIN ? open[session] : open[session]?.asides[talk],
  );
}

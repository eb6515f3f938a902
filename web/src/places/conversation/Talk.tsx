import type { SessionView } from "../../api/types.gen";
import { Composer } from "./Composer";
import { Conversation } from "./Conversation";
import { CatchUp } from "./catchup/CatchUp";
import { TalkBar } from "./TalkBar";
import "./conversation.css";

/** What was said and done, and the box to speak. */
export default function Talk({ session }: { readonly session: SessionView }) {
  return (
    <section className="talk" aria-label="Conversation">
      <TalkBar session={session} />
      <CatchUp session={session} />
      <Conversation session={session} />
      <Composer key={session.id} session={session} />
    </section>
  );
}

import type { SessionView } from "../../api/types.gen";
import { Conversation } from "./Conversation";
import { MessageBox } from "./MessageBox";

/** What was said and done, and the box to speak. */
export default function Talk({ session }: { readonly session: SessionView }) {
  return (
    <section className="talk" aria-label="Conversation">
      <Conversation session={session} />
      <MessageBox session={session} />
    </section>
  );
}

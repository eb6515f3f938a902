import type { SessionView } from "../../api/types.gen";
import { MAIN } from "../../state/session/conversation";
import { FRESH, useTalk } from "../../state/session/talks";
import { AsideBox } from "./AsideBox";
import { Conversation } from "./Conversation";
import { CatchUp } from "./catchup/CatchUp";
import { Composer } from "./composer/Composer";
import { TalkBar } from "./TalkBar";
import "./conversation.css";

/** What was said and done, and the box to speak. */
export default function Talk({ session }: { readonly session: SessionView }) {
  const talk = useTalk(session.id);
  return (
    <section className="talk" aria-label="Conversation">
      <TalkBar session={session} />
      {talk === MAIN && <CatchUp session={session} />}
      {talk === FRESH ? <NoAside /> : <Conversation key={talk} session={session} talk={talk} />}
      {talk === MAIN ? (
        <Composer key={session.id} session={session} />
      ) : (
        <AsideBox key={`${session.id} ${talk}`} session={session} talk={talk} />
      )}
    </section>
  );
}

function NoAside() {
  return (
    <div className="flow-frame">
      <div className="empty">
        <h2>A conversation beside the task</h2>
        <p>
          Another agent, or the same with a fresh context, looks at the same files. The task goes on
          undisturbed; one that may change files gets its turn when no other has it.
        </p>
      </div>
    </div>
  );
}

import type { SessionView } from "../../api/types.gen";
import { stateWord } from "../../parts/session/stateWord";

/** A conversation without words yet says what is being waited for. */
export function Preparing({ session }: { readonly session: SessionView }) {
  const quiet = session.status === "idle";
  return (
    <div className="empty">
      <h2>{quiet ? "Nothing was said yet" : stateWord(session)}</h2>
      <p>
        {quiet ? "Write the first message below." : session.reason || "The worktree is being made."}
      </p>
    </div>
  );
}

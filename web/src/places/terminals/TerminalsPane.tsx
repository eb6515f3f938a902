import type { SessionView } from "../../api/types.gen";
import { Terminals } from "./Terminals";

/** A session's terminals as one of its panes. */
export default function TerminalsPane({ session }: { readonly session: SessionView }) {
  return (
    <section className="terminals-pane" aria-label="Terminals">
      <Terminals session={session} where="pane" />
    </section>
  );
}

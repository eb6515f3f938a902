import { Dialog } from "../../parts/Dialog";
import { useFleet } from "../../state/fleet";
import LandingPane from "./LandingPane";

/** The landing pane over the page. */
export default function LandingCover({ id }: { readonly id: string }) {
  const session = useFleet((fleet) => fleet.sessions[id]);
  if (session === undefined) return null;
  return (
    <Dialog title={`Land “${session.title}”`}>
      <div className="body">
        <LandingPane session={session} />
      </div>
    </Dialog>
  );
}

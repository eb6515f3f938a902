import { stop } from "../../api/hub";
import type { Ways } from "../../api/landing";
import type { SessionView } from "../../api/types.gen";
import { Ago } from "../../parts/Ago";
import { Button } from "../../parts/Button";
import { plural } from "../../parts/format";
import { putSession } from "../../state/fleet/fleet";
import { useLandingWish } from "../../state/page/landingWish";
import { attempt } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";
import { landsIn, obstacleOf } from "./useWays";

interface Props {
  readonly session: SessionView;
  readonly ways: Ways;
}

/** Why nothing can land right now, and the button that changes it. */
export function Blocked({ session, ways }: Props) {
  const { id } = session;
  switch (obstacleOf(ways)) {
    case "at work":
      return (
        <div className="acts">
          <span className="tone-wait">The agent is at work.</span>
          <Button onClick={() => void attempt(async () => putSession(await stop(id)))}>
            Stop it
          </Button>
        </div>
      );
    case "uncommitted":
      return (
        <div className="acts">
          <span className="tone-wait">
            {plural(ways.uncommitted, "file")} not committed: only commits land.
          </span>
          <Button onClick={() => useLandingWish.setState({ part: "commit" })}>Commit first</Button>
        </div>
      );
    case "update":
      return (
        <p className="tone-wait">
          The conflicts of the update are to be settled first, or aborted.
        </p>
      );
    case "nothing":
      return <Landed session={session} ways={ways} />;
    case "":
      return null;
  }
}

function Landed({ session, ways }: Props) {
  const { merged } = ways;
  if (merged === null)
    return <p className="quiet">Nothing is committed that {landsIn(ways)} has not.</p>;
  return (
    <div className="acts" data-testid="landed">
      <span className="tone-ok">
        ✓ Landed in <b>{merged.into}</b> as <code>{merged.commit.slice(0, 7)}</code>
      </span>
      <span className="quiet">
        <Ago at={merged.at} />
      </span>
      {session.status !== "archived" && (
        <Button onClick={() => setCover({ name: "archive", ids: [session.id] })}>
          Archive the session…
        </Button>
      )}
    </div>
  );
}

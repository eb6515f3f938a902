import type { Terminal } from "../../api/terminals";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { duration } from "../../parts/format";
import { setWatched } from "../../state/terminals/wishes";
import { close, isOver, restart } from "./acts";
import { Tool } from "./Strip";

interface Props {
  readonly session: SessionView;
  readonly terminal: Terminal;
  readonly isBeside: boolean;
  readonly watch: boolean;
  readonly isAway: boolean;
  readonly problem: string;
  readonly onAside: () => void;
}

/** What is to be said of a terminal: which of several it is, that it is only watched, away, over. */
export function Bars({ session, terminal, isBeside, watch, isAway, problem, onAside }: Props) {
  return (
    <>
      {isBeside && (
        <div className="term-bar term-name">
          <b>{terminal.name}</b>
          <span className="spring" />
          <Tool icon="close" label={`Show ${terminal.name} no longer beside`} onPress={onAside} />
        </div>
      )}
      {watch && (
        <div className="term-bar" data-testid="watching">
          <span>Only watched: nothing you type goes in, and your window's size has no say.</span>
          <Button size="small" onClick={() => setWatched(session.id, terminal.name, false)}>
            Type in it
          </Button>
        </div>
      )}
      {isOver(terminal) ? (
        <Over session={session} terminal={terminal} />
      ) : (
        isAway && (
          <div className="term-bar term-away" role="status" data-testid="terminal-away">
            {problem ||
              "The hub does not answer. The terminal goes on; what you type meanwhile is kept for it."}
          </div>
        )
      )}
    </>
  );
}

function Over({ session, terminal }: Pick<Props, "session" | "terminal">) {
  const { exit_code, seconds } = terminal;
  return (
    <div className="term-bar" role="status" data-testid="terminal-over">
      <span className={exit_code === 0 ? "" : "tone-bad"}>
        Exited with {exit_code} after {duration(seconds ?? 0)}.
      </span>
      <span className="spring" />
      {session.status !== "archived" && (
        <Button size="small" onClick={() => void restart(session, terminal)}>
          Restart
        </Button>
      )}
      <Button size="small" look="quiet" onClick={() => void close(session, terminal)}>
        Close
      </Button>
    </div>
  );
}

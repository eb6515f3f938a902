import { type ReactNode, useEffect, useRef } from "react";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { useKeys } from "../../state/page/keys";
import { usePhone } from "../../state/page/wide";
import { alone, setShown, showing, useShownIn, type Where } from "../../state/terminals/shown";
import { isAsked, useAsked } from "../../state/terminals/wishes";
import { open, step } from "./acts";
import { leave } from "./leave";
import { Shown } from "./Shown";
import { Strip } from "./Strip";
import "./terminals.css";

interface Props {
  readonly session: SessionView;
  readonly where: Where;
  /** What stands before and behind the tabs. */
  readonly before?: ReactNode;
  readonly after?: ReactNode;
}

/** A session's terminals: their tabs, and those that were chosen, side by side. */
export function Terminals({ session, where, before, after }: Props) {
  const chosen = useShownIn(
    where,
    session.id,
    session.terminals.map(({ name }) => name),
  );
  const phone = usePhone();
  const shown = phone && chosen.front !== "" ? { ...chosen, names: [chosen.front] } : chosen;
  useKeys("terminal", {
    "Ctrl+Shift+Backquote": { label: "New terminal", run: () => void open(where, session) },
    "$mod+Shift+Enter": {
      label: "New terminal beside this one",
      run: () => void open(where, session, true),
    },
    "$mod+Shift+ArrowRight": { label: "Next terminal", run: () => step(where, session, 1) },
    "$mod+Shift+ArrowLeft": { label: "Previous terminal", run: () => step(where, session, -1) },
    "$mod+Shift+ArrowUp": { label: "Leave the terminal, to its tabs", run: leave },
  });
  const cells = shown.names.flatMap((name) => session.terminals.filter((one) => one.name === name));
  return (
    <div className="terminals" data-testid={`terminals-${where}`}>
      <Strip session={session} where={where} shown={shown} before={before} after={after} />
      {cells.length === 0 ? (
        <NoTerminal session={session} where={where} />
      ) : (
        <div className="term-cells" data-count={cells.length}>
          {cells.map((terminal) => (
            <Shown
              key={terminal.name}
              session={session}
              terminal={terminal}
              where={where}
              isFront={terminal.name === shown.front}
              isBeside={cells.length > 1}
              onFront={() => {
                if (terminal.name !== shown.front)
                  setShown(where, session.id, showing(chosen, terminal.name));
              }}
              onAside={() => setShown(where, session.id, alone(chosen, terminal.name))}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function NoTerminal({ session, where }: Pick<Props, "session" | "where">) {
  const first = useRef<HTMLButtonElement>(null);
  const asked = useAsked(({ of }) => isAsked(of, { where, session: session.id, name: "" }));
  useEffect(() => {
    if (!asked) return;
    useAsked.setState({ of: null });
    first.current?.focus();
  }, [asked]);
  if (session.status === "archived") {
    return (
      <div className="empty">
        <h2>No terminals</h2>
        <p>This session is archived: restore it to have a shell in its worktree again.</p>
      </div>
    );
  }
  return (
    <div className="empty">
      <h2>No terminal yet</h2>
      <p>
        A shell in this session's worktree, environment and box. It goes on when this page is
        closed, and when the hub is started again.
      </p>
      <p>
        <Button look="primary" ref={first} onClick={() => void open(where, session)}>
          New terminal
        </Button>
      </p>
    </div>
  );
}

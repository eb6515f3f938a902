import type { CSSProperties, KeyboardEvent, PointerEvent } from "react";
import type { SessionView } from "../../api/types.gen";
import { useFleet } from "../../state/fleet/fleet";
import { keyText } from "../../state/page/chord";
import { setHeight, useTerminalWishes } from "../../state/terminals/wishes";
import { closeDrawer } from "./drawer";
import { Tool } from "./Strip";
import { Terminals } from "./Terminals";

const STEP = 0.04;

interface Props {
  readonly session: SessionView | undefined;
  /** Whether the place on the screen says whose terminals these are. */
  readonly fixed: boolean;
}

/** Terminals over any place; its upper edge is dragged, or moved by the arrows. */
export default function Drawer({ session, fixed }: Props) {
  const height = useTerminalWishes((wishes) => wishes.height);
  const close = (
    <Tool icon="close" label="Close the drawer" hint="Ctrl+Backquote" onPress={closeDrawer} />
  );
  return (
    <aside
      className="drawer"
      aria-label={`Terminals, ${keyText("Ctrl+Backquote")} closes`}
      data-testid="drawer"
      style={{ "--drawer": `${height * 100}dvh` } as CSSProperties}
    >
      <Edge height={height} />
      {session === undefined ? (
        <div className="terminals">
          <div className="term-strip">
            <Whose session={undefined} />
            <span className="spring" />
            {close}
          </div>
          <div className="empty">
            <h2>No session chosen</h2>
            <p>Choose one to have a shell in its worktree.</p>
          </div>
        </div>
      ) : (
        <Terminals
          key={session.id}
          session={session}
          where="drawer"
          before={!fixed && <Whose session={session} />}
          after={close}
        />
      )}
    </aside>
  );
}

function Whose({ session }: { readonly session: SessionView | undefined }) {
  const sessions = useFleet((fleet) => fleet.sessions);
  return (
    <select
      className="term-whose"
      aria-label="Session of the terminals"
      value={session?.id ?? ""}
      onChange={(event) => useTerminalWishes.setState({ session: event.target.value })}
    >
      {session === undefined && <option value="">Choose a session</option>}
      {Object.values(sessions)
        .filter(({ status }) => status !== "archived")
        .map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
    </select>
  );
}

function Edge({ height }: { readonly height: number }) {
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (event.buttons === 0) return;
    const foot = event.currentTarget.parentElement?.getBoundingClientRect().bottom ?? innerHeight;
    setHeight((foot - event.clientY) / innerHeight);
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setHeight(height + by);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line that can be moved is no rule
    <div
      className="drawer-edge"
      role="separator"
      aria-label="Height of the terminals"
      aria-orientation="horizontal"
      aria-valuenow={Math.round(height * 100)}
      aria-valuemin={15}
      aria-valuemax={85}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={press}
    />
  );
}

import { type DragEvent, Suspense, useRef, useState } from "react";
import type { SessionView } from "../../../api/types.gen";
import { type Direction, dropped, type Stack, showing, without } from "../../../state/page/layout";
import { paneOf } from "../../panes";
import { edgeAt, PANE_DRAG } from "./drag";
import type { Arrange } from "./Panes";
import { Tabs } from "./Tabs";

interface Props {
  readonly session: SessionView;
  readonly stack: Stack;
  readonly at: { readonly column: number; readonly stack: number };
  readonly arrange: Arrange;
}

/** One stack of panes: its tabs, and the pane in front. Panes can be dropped on it. */
export function StackView({ session, stack, at, arrange }: Props) {
  const [over, setOver] = useState<Direction | "tabs" | null>(null);
  const body = useRef<HTMLDivElement>(null);
  const panes = stack.panes.map(paneOf).filter((pane) => pane !== undefined);
  const front = paneOf(stack.active);
  const hover = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes(PANE_DRAG) || body.current === null) return;
    event.preventDefault();
    setOver(edgeAt(event.clientX, event.clientY, body.current.getBoundingClientRect()));
  };
  const drop = (event: DragEvent) => {
    const id = event.dataTransfer.getData(PANE_DRAG);
    if (id === "" || over === null) return;
    event.preventDefault();
    arrange((layout) => dropped(layout, id, { ...at, edge: over }));
    setOver(null);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: moving panes is done by keys and menu too
    <div
      ref={body}
      className="stack-body"
      data-over={over ?? undefined}
      onDragOver={hover}
      onDragLeave={() => setOver(null)}
      onDrop={drop}
    >
      <div className="stack-head">
        <Tabs
          session={session}
          panes={panes}
          active={stack.active}
          onChoose={(id) => arrange((layout) => showing(layout, id))}
          onDrag={() => undefined}
        />
        <button
          type="button"
          className="pane-close"
          title={`Put away ${front?.title ?? ""}`}
          aria-label={`Put away ${front?.title ?? ""}`}
          onClick={() => arrange((layout) => without(layout, stack.active))}
        >
          ×
        </button>
      </div>
      <div className="pane" data-pane={stack.active} data-testid={`pane-${stack.active}`}>
        <Suspense fallback={<div aria-busy="true" />}>{front?.render(session)}</Suspense>
      </div>
    </div>
  );
}

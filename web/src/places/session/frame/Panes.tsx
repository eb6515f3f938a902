import { Fragment } from "react";
import type { SessionView } from "../../../api/types.gen";
import { type Column, type Layout, resized, showing } from "../../../state/layout";
import { layoutOf, setLayout, useLayouts } from "../../../state/layouts";
import { useWide } from "../../../state/wide";
import { PANES } from "../../panes";
import { OnePane } from "./OnePane";
import { Splitter } from "./Splitter";
import { StackView } from "./StackView";
import { usePaneKeys } from "./usePaneKeys";
import "./panes.css";

export type Arrange = (change: (layout: Layout) => Layout) => void;

/** The panes of a session: side by side where there is room, else one at a time. */
export function Panes({ session }: { readonly session: SessionView }) {
  const now = useLayouts((layouts) => layouts.now);
  const wide = useWide();
  const layout = layoutOf(PANES, now);
  const arrange: Arrange = (change) => setLayout(change(layoutOf(PANES)));
  usePaneKeys(arrange);
  if (!wide) {
    return <OnePane session={session} onShow={(id) => arrange((old) => showing(old, id))} />;
  }
  return (
    <div className="panes" data-testid="panes">
      {layout.columns.map((column, place) => (
        <Fragment key={column.stacks[0]?.panes.join()}>
          {place > 0 && (
            <Splitter
              across
              label="Width of the panes"
              share={shareOf(layout.columns, place - 1)}
              onShare={(share) => arrange((old) => resized(old, place - 1, share))}
            />
          )}
          <ColumnView session={session} column={column} place={place} arrange={arrange} />
        </Fragment>
      ))}
    </div>
  );
}

interface ColumnProps {
  readonly session: SessionView;
  readonly column: Column;
  readonly place: number;
  readonly arrange: Arrange;
}

function ColumnView({ session, column, place, arrange }: ColumnProps) {
  return (
    <div className="column" style={{ flexGrow: column.weight }}>
      {column.stacks.map((stack, at) => (
        <Fragment key={stack.panes.join()}>
          {at > 0 && (
            <Splitter
              across={false}
              label="Height of the panes"
              share={shareOf(column.stacks, at - 1)}
              onShare={(share) => arrange((old) => resized(old, place, share, at - 1))}
            />
          )}
          <StackView
            session={session}
            stack={stack}
            at={{ column: place, stack: at }}
            arrange={arrange}
          />
        </Fragment>
      ))}
    </div>
  );
}

function shareOf(all: readonly { readonly weight: number }[], first: number): number {
  const [one, other] = [all[first]?.weight ?? 1, all[first + 1]?.weight ?? 1];
  return one / (one + other);
}

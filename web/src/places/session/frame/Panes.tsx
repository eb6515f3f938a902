import type { SessionView } from "../../../api/types.gen";
import { type Column, type Layout, showing, weighted } from "../../../state/page/layout";
import { layoutOf, setLayout, useLayouts } from "../../../state/page/layouts";
import { useWide } from "../../../state/page/wide";
import { PANES } from "../../panes";
import { OnePane } from "./OnePane";
import { Split } from "./Split";
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
  usePaneKeys(session, arrange);
  if (!wide) {
    return <OnePane session={session} onShow={(id) => arrange((old) => showing(old, id))} />;
  }
  const columns = layout.columns.map((column, place) => ({
    weight: column.weight,
    content: <ColumnView session={session} column={column} place={place} arrange={arrange} />,
  }));
  return (
    <div className="panes" data-testid="panes">
      <Split
        className="columns"
        orientation="horizontal"
        label="Width of the panes"
        parts={columns}
        onWeights={(weights) => arrange((old) => weighted(old, weights))}
      />
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
  const stacks = column.stacks.map((stack, at) => ({
    weight: stack.weight,
    content: (
      <StackView
        session={session}
        stack={stack}
        at={{ column: place, stack: at }}
        arrange={arrange}
      />
    ),
  }));
  return (
    <Split
      className="stacks"
      orientation="vertical"
      label="Height of the panes"
      parts={stacks}
      onWeights={(weights) => arrange((old) => weighted(old, weights, place))}
    />
  );
}

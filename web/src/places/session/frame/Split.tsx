import { Fragment, type ReactNode, useEffect, useId } from "react";
import { Group, Panel, Separator, useGroupRef } from "react-resizable-panels";

interface Part {
  readonly weight: number;
  readonly content: ReactNode;
}

interface Props {
  /** Of the whole; a part's is its singular. */
  readonly className: "columns" | "stacks";
  readonly orientation: "horizontal" | "vertical";
  readonly label: string;
  readonly parts: readonly Part[];
  readonly onWeights: (weights: readonly number[]) => void;
}

const LEAST = "10%";

/** Neighbours that share the room by weight; the edges between them are dragged, or moved by arrows. */
export function Split({ className, orientation, label, parts, onWeights }: Props) {
  const group = useGroupRef();
  const id = useId();
  const idOf = (place: number) => `${id}${place}`;
  const sum = parts.reduce((all, { weight }) => all + weight, 0);
  const shares = Object.fromEntries(
    parts.map(({ weight }, place) => [idOf(place), (100 * weight) / sum]),
  );
  const wanted = JSON.stringify(shares);
  // What was chosen elsewhere, a named layout for one, is shown here too.
  useEffect(() => void group.current?.setLayout(JSON.parse(wanted)), [group, wanted]);
  return (
    <Group
      // The library keeps the sizes of the parts it began with.
      key={parts.length}
      groupRef={group}
      className={className}
      orientation={orientation}
      defaultLayout={shares}
      onLayoutChanged={(layout, { isUserInteraction }) => {
        if (isUserInteraction) onWeights(parts.map((_, place) => (layout[idOf(place)] ?? 0) / 100));
      }}
    >
      {parts.map(({ content }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is known by its place
        <Fragment key={place}>
          {place > 0 && <Separator className={`splitter ${orientation}`} aria-label={label} />}
          <Panel id={idOf(place)} className={className.slice(0, -1)} minSize={LEAST}>
            {content}
          </Panel>
        </Fragment>
      ))}
    </Group>
  );
}

import type { DragEvent } from "react";
import type { SessionView } from "../../../api/types.gen";
import type { Pane } from "../../panes";
import { PANE_DRAG } from "./drag";

interface Props {
  readonly session: SessionView;
  readonly panes: readonly Pane[];
  readonly active: string;
  readonly onChoose: (id: string) => void;
  /** Absent where panes cannot be moved: the narrow screen. */
  readonly onDrag?: (id: string) => void;
}

/** The panes of one stack by name. */
export function Tabs({ session, panes, active, onChoose, onDrag }: Props) {
  const drag = (event: DragEvent, id: string) => {
    event.dataTransfer.setData(PANE_DRAG, id);
    event.dataTransfer.effectAllowed = "move";
    onDrag?.(id);
  };
  return (
    <div className="pane-tabs">
      {panes.map((pane) => {
        const badge = pane.badge?.(session) ?? "";
        return (
          <button
            type="button"
            key={pane.id}
            aria-pressed={pane.id === active}
            data-pane={pane.id}
            draggable={onDrag !== undefined}
            onDragStart={(event) => drag(event, pane.id)}
            onClick={() => onChoose(pane.id)}
          >
            {pane.title}
            {badge && <span className="badge"> {badge}</span>}
          </button>
        );
      })}
    </div>
  );
}

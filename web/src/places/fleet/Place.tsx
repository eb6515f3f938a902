import { type DragEvent, type MouseEvent, memo, useState } from "react";
import type { SessionView } from "../../api/types.gen";
import { listed } from "../../state/fleet/listed";
import { choose, reorder, toggleChosen, useSelection, useSidebar } from "../../state/fleet/sidebar";
import { Row } from "./Row";

const SESSION_DRAG = "application/x-manyhands-session";

/** A session's place in the list: chosen with Ctrl or Shift, dragged to another place. */
export const Place = memo(function Place({ session }: { readonly session: SessionView }) {
  const { id } = session;
  const chosen = useSelection((selection) => selection.chosen.includes(id));
  const choosing = useSelection((selection) => selection.chosen.length > 0);
  const pinned = useSidebar((sidebar) => sidebar.pinned.includes(id));
  const [over, setOver] = useState<"before" | "after" | null>(null);
  const click = (event: MouseEvent) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    if (event.shiftKey) choose(span(useSelection.getState().chosen.at(-1) ?? id, id));
    else toggleChosen(id);
  };
  const hover = (event: DragEvent<HTMLElement>) => {
    if (!event.dataTransfer.types.includes(SESSION_DRAG)) return;
    event.preventDefault();
    const { top, height } = event.currentTarget.getBoundingClientRect();
    setOver(event.clientY > top + height / 2 ? "after" : "before");
  };
  const drop = (event: DragEvent) => {
    const moved = event.dataTransfer.getData(SESSION_DRAG);
    if (moved !== "" && moved !== id) {
      event.preventDefault();
      reorder(
        listed().map((one) => one.id),
        moved,
        id,
        over === "after",
      );
    }
    setOver(null);
  };
  return (
    <li
      className="place"
      data-chosen={chosen || undefined}
      data-choosing={choosing || undefined}
      data-over={over ?? undefined}
      draggable
      onDragStart={(event) => event.dataTransfer.setData(SESSION_DRAG, id)}
      onDragOver={hover}
      onDragLeave={() => setOver(null)}
      onDrop={drop}
      onClickCapture={click}
    >
      <input
        type="checkbox"
        tabIndex={choosing ? 0 : -1}
        aria-label={`Choose ${session.title}`}
        checked={chosen}
        onChange={() => toggleChosen(id)}
      />
      <Row session={session} pinned={pinned} />
    </li>
  );
});

/** Everything between two sessions, as the list stands. */
function span(from: string, to: string): string[] {
  const ids = listed().map((session) => session.id);
  const [a, b] = [ids.indexOf(from), ids.indexOf(to)];
  return ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

import type { SessionView } from "../../api/types.gen";
import { setCover } from "../../state/page/screen";
import { boxLabel, boxTitle, isLess } from "../../state/session/box";
import "./box.css";

/** What its agent is confined by: quiet while that is all, in sight where it is less. */
export function BoxChip({ session }: { readonly session: SessionView }) {
  const { id, box_detail: box, status } = session;
  const look = isLess(box) ? "chip box less" : "chip box";
  const label = `${boxLabel(box)}${box.pending ? " …" : ""}`;
  if (status === "archived")
    return (
      <span className={look} title={boxTitle(box)}>
        {label}
      </span>
    );
  return (
    <button
      type="button"
      className={look}
      title={boxTitle(box)}
      data-testid="box"
      onClick={() => setCover({ name: "box", id })}
    >
      {label}
    </button>
  );
}

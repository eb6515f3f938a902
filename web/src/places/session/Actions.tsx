import type { SessionView } from "../../api/types.gen";
import { Button, buttonClass } from "../../parts/Button";
import { Menu } from "../../parts/overlay/Menu";
import { useSidebar } from "../../state/fleet/sidebar";
import { sessionActions } from "./actions";

const IN_SIGHT = ["stop", "resume", "restore", "give", "open"];

/** What can be done in the present state: the usual in sight, the rest in a menu. */
export function Actions({ session }: { readonly session: SessionView }) {
  // What pinning would do is part of the menu.
  useSidebar((sidebar) => sidebar.pinned);
  const all = sessionActions(session);
  return (
    <div className="actions">
      {all
        .filter(({ id }) => IN_SIGHT.includes(id))
        .map(({ id, label, run }) => (
          <Button key={id} className={`act-${id}`} onClick={run}>
            {label}
          </Button>
        ))}
      <Menu
        label="More"
        name="More"
        className={buttonClass("quiet")}
        items={all.filter(({ id }) => !IN_SIGHT.includes(id))}
      />
    </div>
  );
}

import { useState } from "react";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { Menu } from "../../parts/Menu";
import { useSidebar } from "../../state/sidebar";
import { sessionActions } from "./actions";

const IN_SIGHT = ["stop", "resume", "restore", "open"];

/** What can be done in the present state: the usual in sight, the rest in a menu. */
export function Actions({ session }: { readonly session: SessionView }) {
  // What pinning would do is part of the menu.
  useSidebar((sidebar) => sidebar.pinned);
  const [open, setOpen] = useState(false);
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
        open={open}
        onOpen={setOpen}
        items={all.filter(({ id }) => !IN_SIGHT.includes(id))}
      />
    </div>
  );
}

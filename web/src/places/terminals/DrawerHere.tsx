import { lazy, Suspense, useEffect } from "react";
import { useLocation } from "wouter";
import type { SessionView } from "../../api/types.gen";
import { useFleet } from "../../state/fleet/fleet";
import { listed } from "../../state/fleet/listed";
import { useKeys } from "../../state/page/keys";
import { useTerminalWishes } from "../../state/terminals/wishes";
import { closeDrawer, openDrawer } from "./drawer";

const Drawer = lazy(() => import("./Drawer"));

/** The drawer where it is open; nothing of it is loaded before. */
export function DrawerHere() {
  const open = useTerminalWishes((wishes) => wishes.open);
  const { session, fixed } = useWhose();
  useKeys("page", {
    "Ctrl+Backquote": {
      label: "Terminals",
      run: () => (open ? closeDrawer() : openDrawer(session)),
    },
  });
  if (!open) return null;
  return (
    <Suspense fallback={<aside className="drawer" aria-label="Terminals" aria-busy="true" />}>
      <Drawer session={session} fixed={fixed} />
    </Suspense>
  );
}

/** Those of the session on the screen, else of the one that was there last, else of the first. */
function useWhose(): { session: SessionView | undefined; fixed: boolean } {
  const [path] = useLocation();
  const last = useTerminalWishes((wishes) => wishes.session);
  const here = path.startsWith("/s/") ? path.slice(3) : "";
  useEffect(() => {
    if (here !== "") useTerminalWishes.setState({ session: here });
  }, [here]);
  const session = useFleet(
    ({ sessions }) => sessions[here || last] ?? (here ? undefined : first()),
  );
  return { session, fixed: here !== "" };
}

const first = (): SessionView | undefined => listed().find(({ status }) => status !== "archived");

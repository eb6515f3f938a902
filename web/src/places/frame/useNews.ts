/** Keeps the tab's badge, and tells the notifications what is on the screen. */

import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { showBadge } from "../../state/badge";
import { useFleet } from "../../state/fleet";
import { openItems } from "../../state/groups";
import { startNotifications } from "../../state/notifications";
import { onScreen } from "../../state/sync";
import { INBOX, sessionPath } from "../routes";

export function useNews(): void {
  const [path, navigate] = useLocation();
  const open = useFleet((fleet) => openItems(fleet.sessions).length);
  const at = useRef(path);
  at.current = path;
  useEffect(() => showBadge(open), [open]);
  useEffect(() => {
    // In the inbox whatever needs a person is in sight.
    const seen = () =>
      at.current === INBOX ? Object.keys(useFleet.getState().sessions) : onScreen();
    startNotifications((session) => navigate(sessionPath(session)), seen);
  }, [navigate]);
}

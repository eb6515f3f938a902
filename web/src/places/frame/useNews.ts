/** Keeps the tab's badge, and tells the notifications what is on the screen. */

import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useFleet } from "../../state/fleet/fleet";
import { openItems } from "../../state/fleet/groups";
import { showBadge } from "../../state/inbox/badge";
import { startNotifications } from "../../state/inbox/notifications";
import { onScreen } from "../../state/topics";
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

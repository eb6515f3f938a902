/** Opens and closes the drawer, and gives the focus back to where it was. */

import type { SessionView } from "../../api/types.gen";
import { askFront, useTerminalWishes } from "../../state/terminals/wishes";

let before: Element | null = null;

export function openDrawer(session: SessionView | undefined): void {
  before = document.activeElement;
  useTerminalWishes.setState({ open: true });
  if (session === undefined || session.status === "archived") return;
  if (session.terminals.length > 0) askFront("drawer", session.id, session.terminals);
  else void import("./acts").then(({ open }) => open("drawer", session));
}

export function closeDrawer(): void {
  useTerminalWishes.setState({ open: false });
  if (before instanceof HTMLElement && before.isConnected) before.focus();
  before = null;
}

/** The connection to the hub and what the hub says of itself. */

import { create } from "zustand";
import type { HubStatus } from "../api/answers";
import { fetchStatus } from "../api/hub";
import type { Connection } from "../api/socket";

interface Hub {
  readonly connection: Connection;
  readonly locked: boolean;
  readonly status: HubStatus | null;
  /** Why nothing can be stored; empty where it can. */
  readonly problem: string;
}

export const useHub = create<Hub>(() => ({
  connection: "connecting",
  locked: false,
  status: null,
  problem: "",
}));

export async function loadStatus(): Promise<void> {
  useHub.setState({ status: await fetchStatus() });
}

/** How many look at each terminal that is shown here, by session and name. */

import { create } from "zustand";

export const useViewers = create<{ readonly of: Readonly<Record<string, number>> }>(() => ({
  of: {},
}));

export function noteViewers(session: string, name: string, viewers: number): void {
  useViewers.setState(({ of }) => ({ of: { ...of, [`${session}/${name}`]: viewers } }));
}

export function forgetViewers(session: string, name: string): void {
  useViewers.setState(({ of }) => {
    const { [`${session}/${name}`]: _, ...others } = of;
    return { of: others };
  });
}

/** Work of several steps that runs, or ran; loaded anew when one of them goes on. */

import { create } from "zustand";
import { fetchJobs, type Job } from "../../api/insight";
import type { AnyEvent } from "../../api/types.gen";

interface Jobs {
  /** Null while nobody looks at them. */
  readonly jobs: readonly Job[] | null;
}

export const useJobs = create<Jobs>(() => ({ jobs: null }));

const LOAD_AFTER_MS = 150;
let waiting: ReturnType<typeof setTimeout> | null = null;

export async function loadJobs(): Promise<void> {
  useJobs.setState({ jobs: await fetchJobs() });
}

export const forgetJobs = (): void => useJobs.setState({ jobs: null });

/** After a connection that was away. */
export const reloadJobs = async (): Promise<void> => {
  if (useJobs.getState().jobs !== null) await loadJobs();
};

export function noteJobs(events: readonly AnyEvent[]): void {
  const concerned = events.some((event) => event.type.startsWith("job_"));
  if (waiting !== null || !concerned || useJobs.getState().jobs === null) return;
  waiting = setTimeout(() => {
    waiting = null;
    void loadJobs().catch(() => undefined);
  }, LOAD_AFTER_MS);
}

export const isOpen = (job: Job): boolean => job.state === "running" || job.state === "waiting";

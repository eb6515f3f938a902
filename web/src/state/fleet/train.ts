/** The lanes of the train; loaded anew when one of its cars goes on. */

import { create } from "zustand";
import { type Car, fetchTrains, type Train } from "../../api/train";
import type { AnyEvent } from "../../api/types.gen";

interface Trains {
  readonly loaded: boolean;
  readonly trains: readonly Train[];
}

export const useTrains = create<Trains>(() => ({ loaded: false, trains: [] }));

const LOAD_AFTER_MS = 100;
let waiting: ReturnType<typeof setTimeout> | null = null;

export async function loadTrains(): Promise<void> {
  useTrains.setState({ loaded: true, trains: await fetchTrains() });
}

export function noteTrains(events: readonly AnyEvent[]): void {
  if (waiting !== null || !events.some(({ type }) => /^(car|train)_/.test(type))) return;
  waiting = setTimeout(() => {
    waiting = null;
    // While the hub is away the last word stands; its return loads this anew.
    void loadTrains().catch(() => undefined);
  }, LOAD_AFTER_MS);
}

/** The session's car, while it is on its way or its agent mends it. */
export function carOf(trains: readonly Train[], session: string): Car | undefined {
  const cars = trains.flatMap(({ cars, left }) => [...cars, ...left.filter((car) => car.mending)]);
  return cars.find((car) => car.session === session);
}

/** The lane as it would be with a car at another place, counted from one. */
export function moved(cars: readonly Car[], session: string, position: number): readonly Car[] {
  const car = cars.find((one) => one.session === session);
  if (car === undefined) return cars;
  const others = cars.filter((one) => one !== car);
  return [...others.slice(0, position - 1), car, ...others.slice(position - 1)];
}

/** How far its checks are, from 0 to 1, by how long they took last; null where nobody knows. */
export function progress(car: Car, now: number): number | null {
  if (car.state !== "testing" || car.started_at === "" || car.expected <= 0) return null;
  return Math.min(0.97, (now - Date.parse(car.started_at)) / 1000 / car.expected);
}

/** What a car is tested on, in words; nothing while that is not known yet. */
export function standsOn(car: Car): string {
  const { ahead, into, commit } = car;
  if (commit === "") return "";
  if (ahead.length === 0) return `on ${into}`;
  if (ahead.length === 1) return `on ${into} + ${ahead[0]}`;
  return `on ${into} + the ${ahead.length} ahead`;
}

import { useEffect } from "react";
import type { Train } from "../../api/train";
import { PlaceFrame } from "../../parts/PlaceFrame";
import { loadTrains, useTrains } from "../../state/fleet/train";
import { attempt } from "../../state/page/notices";
import { Lane } from "./Lane";
import "./train.css";

/** Finished work on its way home: a lane per branch, each car tested on what is ahead of it. */
export default function TrainPlace() {
  const { loaded, trains } = useTrains();
  useEffect(() => void attempt(loadTrains), []);
  return (
    <PlaceFrame
      wide
      title="Train"
      says="Each car is tested on the tree that results from those ahead of it. A branch only ever moves to a tree that was tested, in order."
    >
      {loaded && trains.length === 0 && (
        <p className="hint">
          No car is under way. <b>Add to train</b> stands beside Approve in a session’s changes, in
          its landing pane, and in the list where several sessions are chosen.
        </p>
      )}
      {inUseFirst(trains).map((train) => (
        <Lane key={`${train.repo} ${train.into}`} train={train} />
      ))}
    </PlaceFrame>
  );
}

/** Where something is on its way, or stands still, before what rests. */
function inUseFirst(trains: readonly Train[]): readonly Train[] {
  const rests = ({ cars, paused }: Train) => cars.length === 0 && !paused;
  return [...trains].sort((a, b) => Number(rests(a)) - Number(rests(b)));
}

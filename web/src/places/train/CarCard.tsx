import { type KeyboardEvent, useEffect, useState } from "react";
import { Link } from "wouter";
import { type Car, removeFromTrain } from "../../api/train";
import { Button } from "../../parts/Button";
import { Hint } from "../../parts/Hint";
import { loadTrains, progress, standsOn } from "../../state/fleet/train";
import { attempt } from "../../state/page/notices";
import { sessionPath } from "../routes";
import type { Dragging } from "./useDragging";

interface Props {
  readonly car: Car;
  readonly position: number;
  readonly last: number;
  readonly dragging: Dragging;
  readonly onMove: (position: number) => void;
}

/** One session's work on its way: what it is tested on, how far it is, and who is next. */
export function CarCard({ car, position, last, dragging, onMove }: Props) {
  const { held } = dragging;
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || !event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    onMove(position + by);
  };
  const remove = () =>
    attempt(async () => {
      await removeFromTrain(car.session);
      await loadTrains();
    });
  return (
    <li
      className={`car ${car.state}`}
      data-car={car.session}
      data-state={car.state}
      data-held={held?.session === car.session || undefined}
      data-over={(held && held.session !== car.session && held.over === position) || undefined}
      data-testid="car"
      onPointerDown={(event) => dragging.begin(event, car.session, position)}
      onPointerMove={dragging.move}
      onPointerUp={dragging.end}
      onPointerCancel={dragging.cancel}
      onClickCapture={dragging.click}
      onKeyDown={press}
    >
      <Link href={sessionPath(car.session)} className="name" title={car.title} draggable={false}>
        {car.title || car.slug}
      </Link>
      {standsOn(car) && <span className="on">{standsOn(car)}</span>}
      <State car={car} />
      {(car.error || car.note) && (
        <p className="why">
          {car.error || car.note} <Hint text={car.hint} />
        </p>
      )}
      <div className="tools small-buttons">
        <Button
          look="quiet"
          aria-label={`Move ${car.title} ahead`}
          title="Ahead (Alt ←)"
          disabled={position === 1}
          onClick={() => onMove(position - 1)}
        >
          ←
        </Button>
        <Button
          look="quiet"
          aria-label={`Move ${car.title} back`}
          title="Back (Alt →)"
          disabled={position === last}
          onClick={() => onMove(position + 1)}
        >
          →
        </Button>
        <Button
          look="quiet"
          aria-label={`Take ${car.title} off the train`}
          onClick={() => void remove()}
        >
          Take off
        </Button>
      </div>
    </li>
  );
}

const TICK_MS = 500;

function State({ car }: { readonly car: Car }) {
  const [now, setNow] = useState(Date.now);
  const testing = car.state === "testing";
  useEffect(() => {
    if (!testing) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [testing]);
  switch (car.state) {
    case "testing": {
      const far = progress(car, now);
      const since = car.started_at ? (now - Date.parse(car.started_at)) / 1000 : 0;
      return (
        <>
          <progress aria-label={`Checks of ${car.title}`} value={far ?? undefined} max={1} />
          <span className="tone-work">
            testing · {minutes(since)}
            {car.expected >= 1 && ` of ~${minutes(car.expected)}`}
          </span>
          {car.progress && <code className="check">{car.progress}</code>}
        </>
      );
    }
    case "tested":
      return (
        <span className="tone-ok">
          ✓ tested, {car.position === 1 ? "landing" : "waits its turn"}
        </span>
      );
    default:
      return <span className="tone-faint">{car.error ? "held" : "waits its turn"}</span>;
  }
}

/** 1:12 */
function minutes(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${`${whole % 60}`.padStart(2, "0")}`;
}

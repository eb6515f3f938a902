import { useState } from "react";
import { Link } from "wouter";
import { addToTrain, type Car } from "../../api/train";
import { Button } from "../../parts/Button";
import { Hint } from "../../parts/Hint";
import { useFleet } from "../../state/fleet/fleet";
import { loadTrains } from "../../state/fleet/train";
import { attempt } from "../../state/page/notices";
import { sessionPath } from "../routes";
import { Log } from "./Log";

const SHOWN = 6;

/** Those that left without landing: why, and what can be done. */
export function Left({ cars }: { readonly cars: readonly Car[] }) {
  const [all, setAll] = useState(false);
  if (cars.length === 0) return null;
  return (
    <ul className="cars left" aria-label="Cars that left">
      {cars.slice(0, all ? cars.length : SHOWN).map((car) => (
        <One key={car.car} car={car} />
      ))}
      {cars.length > SHOWN && !all && (
        <li className="none">
          <button type="button" className="more" onClick={() => setAll(true)}>
            {cars.length - SHOWN} more
          </button>
        </li>
      )}
    </ul>
  );
}

function One({ car }: { readonly car: Car }) {
  const session = useFleet((fleet) => fleet.sessions[car.session]);
  const again = () =>
    attempt(async () => {
      await addToTrain([car.session], car.method);
      await loadTrains();
    });
  const here = session !== undefined && session.status !== "archived";
  return (
    <li className={`car ${car.state}`} data-state={car.state} data-testid="car-left">
      <Link href={sessionPath(car.session)} className="name" title={car.title}>
        {car.title || car.slug}
      </Link>
      <span className={car.state === "removed" ? "tone-faint" : "tone-bad"}>
        <Hint text={why(car)} />
      </span>
      {car.note && <span className="on">{car.note}</span>}
      {car.mending && (
        <span className="tone-work">
          its agent is at it · round {car.round} of {car.rounds}
        </span>
      )}
      {car.hint && car.state !== "failed" && (
        <p className="why">
          <Hint text={car.hint} />
        </p>
      )}
      {car.state === "failed" && <Log car={car} />}
      {here && !car.mending && (
        <div className="tools small-buttons">
          <Button onClick={() => void again()}>Add again</Button>
        </div>
      )}
    </li>
  );
}

function why(car: Car): string {
  switch (car.state) {
    case "conflicted":
      return `left: conflict in ${car.paths.join(", ") || "files"}${car.error ? `. ${car.error}` : ""}`;
    case "failed":
      return `left: ${car.error || "its checks failed"}`;
    case "removed":
      return car.error ? `taken off: ${car.error}` : "taken off";
    default:
      return car.error;
  }
}

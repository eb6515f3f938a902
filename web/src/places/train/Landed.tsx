import { useState } from "react";
import { Link } from "wouter";
import type { Car } from "../../api/train";
import { Ago } from "../../parts/Ago";
import { Button } from "../../parts/Button";
import { useFleet } from "../../state/fleet/fleet";
import { setCover } from "../../state/page/screen";
import { sessionPath } from "../routes";

const SHOWN = 4;

/** What the train brought home, the newest first. */
export function Landed({ cars }: { readonly cars: readonly Car[] }) {
  const [all, setAll] = useState(false);
  const sessions = useFleet((fleet) => fleet.sessions);
  if (cars.length === 0) return null;
  return (
    <ul className="landed" aria-label="Landed">
      {cars.slice(0, all ? cars.length : SHOWN).map((car) => (
        <li key={car.car} data-testid="landed-car">
          <span className="tone-ok">✓ landed</span>
          <Link href={sessionPath(car.session)} className="name">
            {car.title || car.slug}
          </Link>
          <span className="on">
            <code>{car.commit.slice(0, 7)}</code> <Ago at={car.ended_at} suffix=" ago" />
            {car.note && ` · ${car.note}`}
          </span>
          {sessions[car.session] && sessions[car.session]?.status !== "archived" && (
            <Button
              look="quiet"
              size="small"
              onClick={() => setCover({ name: "archive", ids: [car.session] })}
            >
              Archive…
            </Button>
          )}
        </li>
      ))}
      {cars.length > SHOWN && !all && (
        <li>
          <button type="button" className="more" onClick={() => setAll(true)}>
            {cars.length - SHOWN} more
          </button>
        </li>
      )}
    </ul>
  );
}

import { useState } from "react";
import { moveInTrain, pauseTrain, resumeTrain, type Train } from "../../api/train";
import { Ago } from "../../parts/Ago";
import { Button } from "../../parts/Button";
import { baseName, plural } from "../../parts/format";
import { Hint } from "../../parts/Hint";
import { loadTrains, moved } from "../../state/fleet/train";
import { attempt } from "../../state/page/notices";
import { CarCard } from "./CarCard";
import { Landed } from "./Landed";
import { Left } from "./Left";
import { useDragging } from "./useDragging";

/** One branch and what is on its way into it, the next to land first. */
export function Lane({ train }: { readonly train: Train }) {
  const { repo, into, paused } = train;
  // What was asked for is shown until the hub says how it is.
  const [asked, setAsked] = useState<Train["cars"] | null>(null);
  const cars = asked ?? train.cars;
  const move = async (session: string, position: number) => {
    if (position < 1 || position > cars.length) return;
    setAsked(moved(cars, session, position));
    await attempt(() => moveInTrain(session, position));
    await loadTrains().catch(() => undefined);
    setAsked(null);
  };
  const dragging = useDragging((session, position) => void move(session, position));
  const act = (what: typeof pauseTrain) => () =>
    void attempt(async () => {
      await what(repo, into);
      await loadTrains();
    });
  const name = `Train to ${into}`;
  return (
    <section className="lane-of" aria-label={`${name} of ${baseName(repo)}`} data-testid="lane">
      <header>
        <h2>{name}</h2>
        <p>
          {[
            baseName(repo),
            plural(train.cars.length, "car"),
            `${train.window} tested at once`,
            VIA[train.via],
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {paused ? (
          <Button look="primary" size="small" onClick={act(resumeTrain)}>
            Resume
          </Button>
        ) : (
          <Button size="small" onClick={act(pauseTrain)}>
            Pause
          </Button>
        )}
      </header>
      {(paused || train.reason) && (
        <p className="stands tone-wait" role="status">
          {train.reason ? `Stands still: ${train.reason}. ` : "Paused. "}
          <Hint text={train.hint} />
        </p>
      )}
      <div className="lane">
        <Target train={train} />
        <div className="track">
          <ol className="cars" aria-label={`Cars to ${into}`} ref={dragging.lane}>
            {cars.map((car, at) => (
              <CarCard
                key={car.car}
                car={car}
                position={at + 1}
                last={cars.length}
                dragging={dragging}
                onMove={(position) => void move(car.session, position)}
              />
            ))}
            {cars.length === 0 && <li className="none">No car waits.</li>}
          </ol>
          <Left cars={train.left.filter(({ state }) => state !== "landed")} />
        </div>
      </div>
      <Landed cars={train.left.filter(({ state }) => state === "landed")} />
    </section>
  );
}

const VIA: Readonly<Record<Train["via"], string>> = {
  local: "",
  push: "pushed to the remote",
  pr: "through pull requests",
};

function Target({ train }: { readonly train: Train }) {
  return (
    <div className="target">
      <b>{train.into}</b>
      <span>
        <code>{train.target.slice(0, 7)}</code>
        {train.moved_at && (
          <>
            {" "}
            · moved <Ago at={train.moved_at} suffix=" ago" />
          </>
        )}
      </span>
      {train.moved_by && <span>by {train.moved_by}</span>}
    </div>
  );
}

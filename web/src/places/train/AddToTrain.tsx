import { Link } from "wouter";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { carOf, useTrains } from "../../state/fleet/train";
import { TRAIN } from "../routes";
import { board } from "./board";
import "./train.css";

/** Puts the session on the train; says where it is once it is there. */
export function AddToTrain({ session }: { readonly session: SessionView }) {
  const car = useTrains(({ trains }) => carOf(trains, session.id));
  if (car !== undefined) {
    return (
      <Link href={TRAIN} className="on-train" data-testid="on-train">
        {car.mending ? "Off the train, being mended" : `On the train, place ${car.position}`}
      </Link>
    );
  }
  return <Button onClick={() => void board([session.id])}>Add to train</Button>;
}

import { useState } from "react";
import { setBox } from "../../api/hub";
import type { BoxDetail, BoxLevel, Network, SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { Hint } from "../../parts/Hint";
import { Dialog } from "../../parts/overlay/Dialog";
import { putSession, useFleet } from "../../state/fleet/fleet";
import { attempt } from "../../state/page/notices";
import { uncover } from "../../state/page/screen";
import { givenUp, LEVELS, NETWORKS } from "../../state/session/box";
import "./box.css";

/** What confines a session, why it is not more, and another choice. */
export function Box({ id }: { readonly id: string }) {
  const session = useFleet((fleet) => fleet.sessions[id]);
  return session === undefined ? null : <Choosing session={session} />;
}

function Choosing({ session }: { readonly session: SessionView }) {
  const { id, box_detail: box } = session;
  const [level, setLevel] = useState<BoxLevel | "">(box.own ?? "");
  const [network, setNetwork] = useState<Network | "">(box.own_network ?? "");
  const [asked, setAsked] = useState(false);
  const lost = givenUp(box, level, network);
  const save = () =>
    attempt(async () => {
      putSession(await setBox(id, { level: level || null, network: network || null }));
      uncover();
    });
  const same = (box.own ?? "") === level && (box.own_network ?? "") === network;
  return (
    <Dialog title={`Box of “${session.title}”`}>
      <div className="body box-body">
        <Holds box={box} />
        <Choice name="Level" options={LEVELS} chosen={level} onChoose={changing(setLevel)} />
        <Choice
          name="Network"
          options={NETWORKS}
          chosen={network}
          onChoose={changing(setNetwork)}
          disabled={level === "none"}
        />
        {asked && (
          <p className="box-lost" role="alert">
            {lost} Is that what you want?
          </p>
        )}
      </div>
      <div className="actions">
        <span className="aside">A choice holds from the agent’s next turn.</span>
        <Button data-first onClick={uncover}>
          {asked ? "Stay in the box" : "Cancel"}
        </Button>
        <Button
          look="primary"
          disabled={same}
          onClick={() => (lost && !asked ? setAsked(true) : void save())}
        >
          {asked ? (level === "none" ? "Leave the box" : "Confine it less") : "Choose"}
        </Button>
      </div>
    </Dialog>
  );

  function changing<T>(set: (value: T) => void) {
    return (value: T) => {
      set(value);
      setAsked(false);
    };
  }
}

function Holds({ box }: { readonly box: BoxDetail }) {
  const network = box.level === "none" ? "" : `, network ${box.network}`;
  return (
    <div className="box-holds" data-less={box.level !== "full"}>
      <p>
        <b>
          {box.level}
          {network}
        </b>
        {box.by && ` · by ${box.by}`}
        {box.promise && ` · ${box.promise}`}
      </p>
      {box.pending && <p>Something else was chosen; it holds from the next turn.</p>}
      {box.reason && (
        <p>
          Not more because: <Hint text={box.reason} />
        </p>
      )}
      {box.fix && (
        <p>
          To have more: <Hint text={box.fix} />
        </p>
      )}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly options: readonly { readonly id: T; readonly label: string; readonly says: string }[];
  readonly chosen: T;
  readonly onChoose: (id: T) => void;
  readonly disabled?: boolean;
}

function Choice<T extends string>(props: ChoiceProps<T>) {
  const { name, options, chosen, onChoose, disabled } = props;
  return (
    <fieldset className="box-choice" disabled={disabled}>
      <legend>{name}</legend>
      {options.map(({ id, label, says }) => (
        <label key={id}>
          <input type="radio" name={name} checked={id === chosen} onChange={() => onChoose(id)} />
          <span>
            <b>{label}</b> {says}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

import { useState } from "react";
import { fetchServices, restartService, startService, stopService } from "../../api/services";
import type { ServiceView } from "../../api/types.gen";
import { Button } from "../../parts/Button";

interface Props {
  readonly service: ServiceView;
  readonly open: boolean;
  readonly onOpen: () => void;
  readonly onDone: (services: readonly ServiceView[]) => void;
  readonly onProblem: (problem: string) => void;
}

const TONES = {
  stopped: "faint",
  starting: "work",
  healthy: "ok",
  unhealthy: "wait",
  crashed: "bad",
};

/** One service: how it is and why, and what can be done about it. */
export function ServiceRow({ service, open, onOpen, onDone, onProblem }: Props) {
  const [busy, setBusy] = useState(false);
  const { session, name, state } = service;
  const runs = state !== "stopped" && state !== "crashed";
  const run = (deed: typeof startService) => () => {
    setBusy(true);
    deed(session, name)
      .then(() => fetchServices(session))
      .then(onDone, (error: Error) => onProblem(error.message))
      .finally(() => setBusy(false));
  };
  const why = service.reason || (service.origin === "config" ? "" : `found in ${service.origin}`);
  return (
    <li className="service" data-testid="service" data-name={name} data-state={state}>
      <b>{name}</b>
      <span className={`chip tone-${TONES[state]}`}>{state}</span>
      {runs && service.url !== "" && (
        <a href={service.url} target="_blank" rel="noopener noreferrer">
          {service.url}
        </a>
      )}
      <code title={service.command}>{service.command}</code>
      <span className="service-acts">
        <Button disabled={busy} onClick={run(runs ? restartService : startService)}>
          {runs ? "Restart" : "Start"}
        </Button>
        {runs && (
          <Button disabled={busy} onClick={run(stopService)}>
            Stop
          </Button>
        )}
        <Button look="quiet" aria-expanded={open} onClick={onOpen}>
          Log
        </Button>
      </span>
      {why && <p className={state === "crashed" ? "tone-bad" : ""}>{why}</p>}
      {state === "crashed" && service.tail && <pre className="service-tail">{service.tail}</pre>}
    </li>
  );
}

import { useEffect, useState } from "react";
import { fetchServices } from "../../api/services";
import type { ServiceView, SessionView } from "../../api/types.gen";
import { ServiceLog } from "./ServiceLog";
import { ServiceRow } from "./ServiceRow";
import "./services.css";

/** What runs beside the agent: each service with its state, its address and what it says. */
export default function ServicesPane({ session }: { readonly session: SessionView }) {
  const [services, setServices] = useState<readonly ServiceView[] | null>(null);
  const [problem, setProblem] = useState("");
  const [open, setOpen] = useState("");
  // Asked for again when any of them changes, or when a turn may have changed the config.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these tell that it changed
  useEffect(() => {
    let current = true;
    fetchServices(session.id).then(
      (found) => {
        if (!current) return;
        setServices(found);
        setProblem("");
      },
      (error: Error) => current && setProblem(error.message),
    );
    return () => {
      current = false;
    };
  }, [session.id, session.services, session.turn, session.status]);
  const shown = services?.find(({ name }) => name === open);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="services" aria-label="Services" tabIndex={0}>
      {problem && (
        <p className="note tone-bad" role="alert">
          {problem}
        </p>
      )}
      {services?.length === 0 && (
        <p className="note">
          No services. Name one under [services.NAME] in .manyhands.toml, with its command.
        </p>
      )}
      <ul>
        {services?.map((service) => (
          <ServiceRow
            key={service.name}
            service={service}
            open={service.name === open}
            onOpen={() => setOpen(service.name === open ? "" : service.name)}
            onDone={setServices}
            onProblem={setProblem}
          />
        ))}
      </ul>
      {shown && <ServiceLog key={shown.name} session={session.id} name={shown.name} />}
    </section>
  );
}

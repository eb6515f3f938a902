import { useEffect } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../../parts/Button";
import { isReal, useConflicts } from "../../state/conflicts";
import { useFleet } from "../../state/fleet";
import { inbox } from "../../state/groups";
import { useHub } from "../../state/hub";
import { setCover } from "../../state/screen";
import { CONFLICTS, INBOX, SESSIONS } from "../routes";
import { ThemeSwitch } from "./ThemeSwitch";
import "./frame.css";

export function TopBar() {
  const [path] = useLocation();
  const open = useFleet((fleet) => inbox(Object.values(fleet.sessions)).length);
  const conflicts = useConflicts((radar) => radar.conflicts.filter(isReal).length);
  useEffect(() => {
    document.title = open > 0 ? `(${open}) manyhands` : "manyhands";
  }, [open]);
  return (
    <header className="top">
      <Link className="brand" href={SESSIONS}>
        manyhands
      </Link>
      <nav className="tabs" aria-label="Places">
        <Link
          href={SESSIONS}
          aria-current={path !== INBOX && path !== CONFLICTS ? "page" : undefined}
        >
          Sessions
        </Link>
        <Link href={INBOX} aria-current={path === INBOX ? "page" : undefined}>
          Inbox
          {open > 0 && (
            <span className="count" data-testid="inbox-count">
              {open}
              <span className="sr"> open</span>
            </span>
          )}
        </Link>
        <Link
          href={CONFLICTS}
          className={conflicts > 0 ? "some" : "none"}
          aria-label="Conflicts"
          aria-current={path === CONFLICTS ? "page" : undefined}
        >
          Conflicts
          {conflicts > 0 && (
            <span className="count" data-testid="conflict-count">
              {conflicts}
              <span className="sr"> pairs</span>
            </span>
          )}
        </Link>
      </nav>
      <span className="spring" />
      <ThemeSwitch />
      <Button look="quiet" className="keys" onClick={() => setCover({ name: "help" })} hint="?">
        Keys
      </Button>
      <Button look="primary" hint="N" onClick={() => setCover({ name: "new" })}>
        New session
      </Button>
    </header>
  );
}

/** A quiet line while the hub is away; what is on the page stays as it was. */
export function Away() {
  const away = useHub((hub) => hub.connection === "away");
  return (
    <div className="away" role="status" data-testid="away">
      {away &&
        "The hub does not answer. Trying again; agents go on, and nothing you write is lost."}
    </div>
  );
}

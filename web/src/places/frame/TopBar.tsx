import { Link, useLocation } from "wouter";
import { Button } from "../../parts/Button";
import { Kbd } from "../../parts/Kbd";
import { isReal, useConflicts } from "../../state/fleet/conflicts";
import { useFleet } from "../../state/fleet/fleet";
import { openItems } from "../../state/fleet/groups";
import { useHub } from "../../state/hub";
import { keyText } from "../../state/page/chord";
import { setCover } from "../../state/page/screen";
import { PLACES, type Place } from "../places";
import { CONFLICTS, INBOX, SESSIONS } from "../routes";
import { ThemeSwitch } from "./ThemeSwitch";
import "./frame.css";

const TABS = PLACES.filter((place) => place.tab);

export function TopBar() {
  const [path] = useLocation();
  const elsewhere = PLACES.some((place) => place.path === path);
  return (
    <header className="top">
      <Link className="brand" href={SESSIONS}>
        manyhands
      </Link>
      <nav className="tabs" aria-label="Places">
        <Link href={SESSIONS} aria-current={elsewhere ? undefined : "page"}>
          Sessions
        </Link>
        {TABS.map((place) => (
          <Tab key={place.path} place={place} current={place.path === path} />
        ))}
      </nav>
      <span className="spring" />
      <button
        type="button"
        className="search"
        aria-label="Search or run a command"
        onClick={() => setCover({ name: "palette" })}
      >
        <span>Search or run a command</span>
        <Kbd>{keyText("$mod+k")}</Kbd>
      </button>
      <ThemeSwitch />
      <Button look="quiet" className="keys" onClick={() => setCover({ name: "help" })} hint="?">
        Keys
      </Button>
      <Button look="primary" hint="N" onClick={() => setCover({ name: "new" })}>
        <span className="short" aria-hidden="true">
          +
        </span>
        <span className="long">New session</span>
      </Button>
    </header>
  );
}

function Tab({ place, current }: { readonly place: Place; readonly current: boolean }) {
  return (
    <Link href={place.path} aria-current={current ? "page" : undefined}>
      {place.title}
      {place.path === INBOX && <OpenCount />}
      {place.path === CONFLICTS && <ConflictCount />}
    </Link>
  );
}

function OpenCount() {
  const open = useFleet((fleet) => openItems(fleet.sessions).length);
  return <Count of={open} word="open" testId="inbox-count" />;
}

function ConflictCount() {
  const pairs = useConflicts((radar) => radar.conflicts.filter(isReal).length);
  return <Count of={pairs} word={pairs === 1 ? "pair" : "pairs"} testId="conflict-count" />;
}

interface Counted {
  readonly of: number;
  readonly word: string;
  readonly testId: string;
}

function Count({ of, word, testId }: Counted) {
  if (of === 0) return null;
  return (
    <span className="count" data-testid={testId}>
      {of}
      <span className="sr"> {word}</span>
    </span>
  );
}

/** A quiet line while the hub is away, or can store nothing; the page stays as it was. */
export function Away() {
  const away = useHub((hub) => hub.connection === "away");
  const problem = useHub((hub) => hub.problem);
  return (
    <div className="away" role="status" data-testid="away">
      {away &&
        "The hub does not answer. Trying again; agents go on, and nothing you write is lost."}
      {!away && problem !== "" && `Agents are held, and nothing is stored: ${problem}`}
    </div>
  );
}

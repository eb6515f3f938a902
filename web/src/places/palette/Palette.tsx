import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Kbd } from "../../parts/Kbd";
import { useFleet } from "../../state/fleet";
import { uncover } from "../../state/screen";
import { found } from "../../state/search";
import { type Command, commands } from "./commands";
import "./palette.css";

const MOST = 60;

/** One box for everything that can be done or found. */
export function Palette() {
  const [path, navigate] = useLocation();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const session = useFleet((fleet) => fleet.sessions[path.replace("/s/", "")]);
  const all = useMemo(() => commands(session, navigate), [session, navigate]);
  const shown = useMemo(() => inGroups(found(all, query, MOST), query), [all, query]);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    uncover();
    // The dialog gives the focus back when it closes; what runs may want it afterwards.
    requestAnimationFrame(command.run);
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setChosen((shown.length + chosen + by) % Math.max(1, shown.length));
    else if (event.key === "Enter") run(shown[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} className="dialog palette" aria-label="Commands" onClose={uncover}>
      <input
        className="field"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={shown[chosen] && `${list}-${chosen}`}
        aria-label="Search or run a command"
        placeholder="Search or run a command"
        data-testid="palette"
        autoComplete="off"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <div className="found" id={list} role="listbox" aria-label="Found">
        {shown.map((command, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box above has the focus and its keys
          <div
            key={`${command.group} ${command.id}`}
            id={`${list}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === chosen}
            className="command"
            data-group={
              query !== "" || command.group === shown[place - 1]?.group ? undefined : command.group
            }
            onPointerMove={() => setChosen(place)}
            onClick={() => run(command)}
          >
            <span className="label">{command.label}</span>
            <small>{command.group === "Sessions" ? command.more.split(" ")[0] : ""}</small>
            {command.hint && <Kbd>{command.hint}</Kbd>}
          </div>
        ))}
        {shown.length === 0 && <p className="none">Nothing is called “{query}”.</p>}
      </div>
    </dialog>
  );
}

/** With nothing asked, group by group; else the best first, whatever it is. */
function inGroups(all: readonly Command[], query: string): Command[] {
  if (query !== "") return [...all];
  const groups = ["Actions", "Sessions", "Files", "Look"];
  return [...all].sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));
}

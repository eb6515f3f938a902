import { Command as Base } from "cmdk";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { Kbd } from "../../parts/Kbd";
import { Cover } from "../../parts/overlay/Cover";
import { useFleet } from "../../state/fleet/fleet";
import { uncover } from "../../state/page/screen";
import { found } from "../../state/page/search";
import { type Command, commands } from "./commands";
import "./palette.css";

const MOST = 60;

/** One box for everything that can be done or found. */
export function Palette() {
  const [path, navigate] = useLocation();
  const [query, setQuery] = useState("");
  const session = useFleet((fleet) => fleet.sessions[path.replace("/s/", "")]);
  const all = useMemo(() => commands(session, navigate), [session, navigate]);
  const shown = useMemo(() => inGroups(found(all, query, MOST), query), [all, query]);
  const run = (command: Command) => {
    uncover();
    // The dialog gives the focus back when it closes; what runs may want it afterwards.
    requestAnimationFrame(command.run);
  };
  return (
    <Cover className="palette" label="Commands">
      <Base label="Search or run a command" shouldFilter={false} loop>
        <Base.Input
          className="field"
          placeholder="Search or run a command"
          data-testid="palette"
          data-first
          value={query}
          onValueChange={setQuery}
        />
        <Base.List className="found" label="Found">
          {shown.map((command, place) => (
            <Base.Item
              key={`${command.group} ${command.id}`}
              value={`${command.group} ${command.id}`}
              className="command"
              data-group={
                query !== "" || command.group === shown[place - 1]?.group
                  ? undefined
                  : command.group
              }
              onSelect={() => run(command)}
            >
              <span className="label">{command.label}</span>
              <small>{command.group === "Sessions" ? command.more.split(" ")[0] : ""}</small>
              {command.hint && <Kbd>{command.hint}</Kbd>}
            </Base.Item>
          ))}
          <Base.Empty className="none">Nothing is called “{query}”.</Base.Empty>
        </Base.List>
      </Base>
    </Cover>
  );
}

/** With nothing asked, group by group; else the best first, whatever it is. */
function inGroups(all: readonly Command[], query: string): Command[] {
  if (query !== "") return [...all];
  const groups = ["Actions", "Sessions", "Files", "Look"];
  return [...all].sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));
}

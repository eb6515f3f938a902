import { useState } from "react";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/overlay/Dialog";
import { MAC } from "../../state/page/chord";
import {
  type Known,
  resetKeys,
  setPlainKeys,
  useKeySettings,
  useKnownKeys,
} from "../../state/page/keys";
import { KeyRow } from "./KeyRow";
import "./help.css";

/** What works while writing, where the page has no say over keys. */
const FIXED: readonly (readonly [string, string])[] = [
  ["Enter", "Send the message: steers a running turn"],
  ["Alt Enter", "Send it as a follow-up, after the turn"],
  ["Ctrl Enter", "Start the session"],
  ["Escape", "Leave the message box, close this"],
];

/** What a terminal keeps from its program. */
const IN_TERMINAL: readonly (readonly [string, string])[] = MAC
  ? [
      ["⌘ C", "Copy the selection"],
      ["⌘ V", "Paste"],
      ["⌘ F", "Search in it"],
    ]
  : [
      ["Ctrl Shift C", "Copy the selection; Ctrl C too, if there is one"],
      ["Ctrl Shift V", "Paste"],
      ["Ctrl F", "Search in it; over a whole-screen program, Ctrl Shift F"],
    ];

const SCOPES: Readonly<Record<string, string>> = {
  page: "Everywhere",
  list: "List of sessions",
  panes: "Panes of a session",
  session: "This session",
  answer: "An open card",
  diff: "Changes",
  terminal: "Terminals",
};

/** All keys, each of which can be changed. */
export function Help() {
  const known = useKnownKeys((keys) => keys.known);
  const { plain, own } = useKeySettings();
  const [changing, setChanging] = useState("");
  const groups = inScopes(known);
  return (
    <Dialog title="Keys">
      <div className="body keys-body" data-testid="keys">
        <div className="keys-columns">
          {groups.map(([scope, all]) => (
            <section key={scope}>
              <h3>{SCOPES[scope] ?? scope.charAt(0).toUpperCase() + scope.slice(1)}</h3>
              {all.map((one) => (
                <KeyRow
                  key={one.id}
                  known={one}
                  changing={changing === one.id}
                  onChanging={setChanging}
                />
              ))}
            </section>
          ))}
          <section>
            <h3>While writing</h3>
            <FixedKeys keys={FIXED} />
          </section>
          <section>
            <h3>In a terminal</h3>
            <FixedKeys keys={IN_TERMINAL} />
          </section>
        </div>
      </div>
      <div className="actions">
        <label className="aside">
          <input
            type="checkbox"
            checked={plain}
            onChange={(event) => setPlainKeys(event.target.checked)}
          />{" "}
          Single letters act
        </label>
        {(Object.keys(own).length > 0 || !plain) && (
          <Button onClick={resetKeys}>As at first</Button>
        )}
      </div>
    </Dialog>
  );
}

function FixedKeys({ keys }: { readonly keys: typeof FIXED }) {
  return keys.map(([key, does]) => (
    <div className="key-row" key={key}>
      <span>{does}</span>
      <kbd className="kbd">{key}</kbd>
    </div>
  ));
}

/** The page's own first, then place by place; numbered sessions are one line. */
function inScopes(known: readonly Known[]): [string, Known[]][] {
  const groups = new Map<string, Known[]>([["page", []]]);
  for (const one of known) {
    if (/^page:Alt\+[2-9]$/.test(one.id)) continue;
    const label =
      one.id === "page:Alt+1" ? "First session of the list; 2 to 9 likewise" : one.label;
    groups.set(one.scope, [...(groups.get(one.scope) ?? []), { ...one, label }]);
  }
  return [...groups];
}

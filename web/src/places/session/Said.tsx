import { type ReactNode, useState } from "react";
import type { Item } from "../../state/conversation";

const LONG_LINES = 12;
const LONG_TEXT = 900;
/** What steers a rehearsal travels in the message, and is not for reading. */
const SCRIPT = /<<SCRIPT[\s\S]*?SCRIPT>>/g;

/** What a person said; a long message shows its beginning. */
export function Said({ item }: { readonly item: Extract<Item, { kind: "user" }> }) {
  const [whole, setWhole] = useState(false);
  const text = item.text.replace(SCRIPT, "").trim();
  const long = text.length > LONG_TEXT || text.split("\n").length > LONG_LINES;
  const rehearsed = text.length < item.text.trim().length;
  return (
    <div className="me" data-testid="user-message" data-delivered={item.delivered}>
      <div className={long && !whole ? "clamped" : ""}>{text}</div>
      {long && (
        <button type="button" className="more" onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : "Show all"}
        </button>
      )}
      <Aside>
        {rehearsed && "with a rehearsal script"}
        {item.byHub && "sent by the hub"}
        {item.steer && "steers"}
        {!item.delivered && "on its way"}
      </Aside>
    </div>
  );
}

function Aside({ children }: { readonly children: ReactNode[] }) {
  const words = children.filter(Boolean);
  return words.length === 0 ? null : <small>{words.join(" · ")}</small>;
}

import { type ReactNode, useState } from "react";
import type { UserItem } from "../../state/session/conversation";
import { visibleBidi } from "../../state/session/plain";

const LONG_LINES = 12;
const LONG_TEXT = 900;
/** What steers a rehearsal travels in the message, and is not for reading. */
const SCRIPT = /<<SCRIPT[\s\S]*?SCRIPT>>/g;

/** What a person said; a long message shows its beginning. */
export function Said({ item }: { readonly item: UserItem }) {
  const [whole, setWhole] = useState(false);
  const text = visibleBidi(item.text.replace(SCRIPT, "").trim());
  const long = text.length > LONG_TEXT || text.split("\n").length > LONG_LINES;
  const rehearsed = item.text.includes("<<SCRIPT");
  return (
    <div className="me" data-testid="user-message" data-delivered={item.delivered}>
      <div className={long && !whole ? "clamped" : ""}>{text}</div>
      {long && (
        <button type="button" className="more" onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : "Show all"}
        </button>
      )}
      {item.attachments.length > 0 && (
        <ul className="attached" aria-label="Attachments">
          {item.attachments.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
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

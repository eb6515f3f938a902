import { Dialog } from "../../parts/Dialog";
import "./help.css";

const KEYS: readonly (readonly [string, string])[] = [
  ["n", "New session"],
  ["g i", "Inbox"],
  ["g s", "Sessions"],
  ["j  k", "Next and previous session, or card in the inbox"],
  ["o", "Open the session of the card"],
  ["a", "Approve, allow, or send the chosen answers"],
  ["1 – 9", "Answer with that option"],
  ["r", "Answer in words: revise, deny with reasons"],
  ["Enter", "Send the message: steers a running turn"],
  ["Alt Enter", "Send it as a follow-up, after the turn"],
  ["Escape", "Leave the message box, close this"],
  ["?", "These keys"],
];

export function Help() {
  return (
    <Dialog title="Keys">
      <dl className="keys-list body">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd className="kbd">{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

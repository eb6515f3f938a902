import { useState } from "react";
import { KINDS } from "../../state/inbox/announce";
import { canNotify, setDesktop, setWish, useWishes } from "../../state/inbox/notifications";
import "./notify.css";

const WORDS = {
  needs: "Needs a person",
  failed: "Failed",
  finished: "Finished",
} as const;

/** Which news are told outside the page, and how. */
export function NotifyWishes() {
  const { desktop, shown, sounds } = useWishes();
  const [refused, setRefused] = useState(false);
  const turn = async (wanted: boolean) => setRefused(!(await setDesktop(wanted)));
  return (
    <section className="wishes" aria-labelledby="wishes">
      <h2 id="wishes">Notifications of this page</h2>
      <label>
        <input
          type="checkbox"
          checked={desktop}
          disabled={!canNotify()}
          onChange={(event) => void turn(event.target.checked)}
        />{" "}
        On the desktop, for what is not on the screen
      </label>
      {!canNotify() && <p>This browser notifies only over https or on this machine.</p>}
      {refused && (
        <p role="alert">The browser refused. Allow notifications for this page in its settings.</p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">When a session</th>
            <th scope="col">Show</th>
            <th scope="col">Sound</th>
          </tr>
        </thead>
        <tbody>
          {KINDS.map((kind) => (
            <tr key={kind}>
              <th scope="row">{WORDS[kind]}</th>
              {(
                [
                  ["shown", shown],
                  ["sounds", sounds],
                ] as const
              ).map(([which, wished]) => (
                <td key={which}>
                  <input
                    type="checkbox"
                    aria-label={`${WORDS[kind]}: ${which === "shown" ? "show" : "sound"}`}
                    checked={wished[kind]}
                    disabled={which === "shown" && !desktop}
                    onChange={(event) => setWish(kind, which, event.target.checked)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

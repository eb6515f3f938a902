import { bytes } from "../../../parts/format";
import { setCover } from "../../../state/page/screen";
import type { Attaching } from "../../../state/session/attachments";

interface Props {
  /** The session's. */
  readonly id: string;
  readonly attaching: Attaching;
}

/** What goes along with the message, each with a way to take it back. */
export function Attachments({ id, attaching }: Props) {
  return (
    <ul className="attachments" aria-label="To be sent along">
      {attaching.files.map(({ name, media_type, data }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same name
        <li key={place} data-testid="attachment">
          {isPicture(media_type) && <img src={`data:${media_type};base64,${data}`} alt="" />}
          <span className="name">{name}</span>
          <small>{bytes(Math.floor((data.length * 3) / 4))}</small>
          {isPicture(media_type) && (
            <button
              type="button"
              aria-label={`Draw upon ${name}`}
              title="Draw upon it"
              onClick={() => setCover({ name: "mark", id, picture: { name, media_type, data } })}
            >
              ✎
            </button>
          )}
          <button
            type="button"
            aria-label={`Do not send ${name}`}
            onClick={() => void attaching.remove(place)}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

function isPicture(type: string): boolean {
  return /^image\/(png|jpeg|gif|webp)$/.test(type);
}

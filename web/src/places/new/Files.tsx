import { FilesButton } from "../../parts/Button";
import type { Attaching } from "../../state/session/attachments";

/** What goes with the first message. */
export function Files({ attaching }: { readonly attaching: Attaching }) {
  return (
    <div className="new-files">
      <FilesButton label="Attach files…" onFiles={(files) => void attaching.add(files)} />
      {attaching.files.map((file, place) => (
        <button
          type="button"
          className="chip"
          key={file.name}
          aria-label={`Leave ${file.name} out`}
          onClick={() => void attaching.remove(place)}
        >
          {file.name} ×
        </button>
      ))}
    </div>
  );
}

import type { Attaching } from "../../state/attachments";

/** What goes with the first message. */
export function Files({ attaching }: { readonly attaching: Attaching }) {
  return (
    <div className="new-files">
      <label className="button quiet">
        Attach files…
        <input
          type="file"
          multiple
          className="sr"
          onChange={(event) => void attaching.add(event.target.files ?? [])}
        />
      </label>
      {attaching.files.map((file, place) => (
        <button
          type="button"
          className="chip"
          key={file.name}
          aria-label={`Leave ${file.name} out`}
          onClick={() => attaching.remove(place)}
        >
          {file.name} ×
        </button>
      ))}
    </div>
  );
}

import type { Attached } from "./attachments";

interface Props {
  readonly files: readonly Attached[];
  readonly onAdd: (files: readonly File[]) => void;
  readonly onChange: (files: readonly Attached[]) => void;
}

/** What goes with the first message. */
export function Files({ files, onAdd, onChange }: Props) {
  return (
    <div className="new-files">
      <label className="button quiet">
        Attach files…
        <input
          type="file"
          multiple
          className="sr"
          onChange={(event) => onAdd([...(event.target.files ?? [])])}
        />
      </label>
      {files.map((file) => (
        <button
          type="button"
          className="chip"
          key={file.name}
          aria-label={`Leave ${file.name} out`}
          onClick={() => onChange(files.filter((other) => other !== file))}
        >
          {file.name} ×
        </button>
      ))}
    </div>
  );
}

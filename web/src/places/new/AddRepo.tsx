import { type KeyboardEvent, useState } from "react";
import { Button } from "../../parts/Button";
import "./new.css";

interface Props {
  readonly onAdd: (path: string) => Promise<void>;
  readonly onCancel: (() => void) | null;
}

export function AddRepo({ onAdd, onCancel }: Props) {
  const [path, setPath] = useState("");
  const add = () => path.trim() !== "" && void onAdd(path.trim());
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    add();
  };
  return (
    <div className="add-repo">
      <label>
        <span>Repository</span>
        <input
          className="field"
          placeholder="Path of a git repository"
          value={path}
          onChange={(event) => setPath(event.target.value)}
          onKeyDown={press}
        />
      </label>
      <Button disabled={path.trim() === ""} onClick={add}>
        Add
      </Button>
      {onCancel && (
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      )}
    </div>
  );
}

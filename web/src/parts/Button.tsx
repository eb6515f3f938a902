import type { ComponentProps } from "react";
import { Kbd } from "./Kbd";
import "./button.css";

interface Props extends ComponentProps<"button"> {
  readonly look?: "plain" | "primary" | "quiet";
  readonly size?: "small" | "usual" | "large";
  /** The key that presses it. */
  readonly hint?: string;
}

export function Button({ look, size, hint, children, className = "", ...rest }: Props) {
  return (
    <button type="button" className={`${buttonClass(look, size)} ${className}`} {...rest}>
      {children}
      {hint && <Kbd>{hint}</Kbd>}
    </button>
  );
}

/** For what is a button to a person, and another element to the page. */
export function buttonClass(look: Props["look"] = "plain", size: Props["size"] = "usual"): string {
  return `button ${look} ${size}`;
}

interface FilesProps {
  readonly label: string;
  readonly title?: string;
  readonly onFiles: (files: FileList) => void;
}

/** A button that asks for files. */
export function FilesButton({ label, title, onFiles }: FilesProps) {
  return (
    <label className={buttonClass("quiet")} title={title}>
      {label}
      <input
        type="file"
        multiple
        className="sr"
        aria-label="Attach files"
        onChange={(event) => {
          if (event.target.files !== null) onFiles(event.target.files);
          event.target.value = "";
        }}
      />
    </label>
  );
}

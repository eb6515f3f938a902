import type { ComponentProps } from "react";
import { Kbd } from "./Kbd";
import "./button.css";

interface Props extends ComponentProps<"button"> {
  readonly look?: "plain" | "primary" | "quiet";
  readonly hint?: string;
}

/** A button; `hint` is the key that presses it. */
export function Button({ look = "plain", hint, children, className = "", ...rest }: Props) {
  return (
    <button type="button" className={`button ${look} ${className}`} {...rest}>
      {children}
      {hint && <Kbd>{hint}</Kbd>}
    </button>
  );
}

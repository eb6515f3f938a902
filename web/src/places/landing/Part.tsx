import { type ReactNode, useEffect, useRef } from "react";
import { type LandingPart, useLandingWish } from "../../state/page/landingWish";

interface Props {
  readonly name: LandingPart;
  readonly title: ReactNode;
  /** A few words beside the title. */
  readonly says?: ReactNode;
  /** Whether what it is about is known yet. */
  readonly ready?: boolean;
  readonly children: ReactNode;
}

const FIRST = "textarea, input:not([type=checkbox]), .button:not(:disabled), summary";

/** One way for the work to go; the focus comes here when it was asked for. */
export function Part({ name, title, says, ready = true, children }: Props) {
  const place = useRef<HTMLElement>(null);
  const wished = useLandingWish((wish) => wish.part === name);
  useEffect(() => {
    if (!wished || !ready) return;
    useLandingWish.setState({ part: null });
    place.current?.scrollIntoView({ block: "nearest" });
    (place.current?.querySelector<HTMLElement>(FIRST) ?? place.current)?.focus();
  }, [wished, ready]);
  return (
    <section
      ref={place}
      className="part"
      aria-labelledby={`landing-${name}`}
      data-part={name}
      tabIndex={-1}
    >
      <h2 id={`landing-${name}`}>
        {title} {says && <span className="quiet">{says}</span>}
      </h2>
      {children}
    </section>
  );
}

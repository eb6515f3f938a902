/** A terminal's screen in an element, as long as it is shown and the page is seen. */

import { type RefObject, useEffect, useRef, useState } from "react";
import { useHub } from "../../../state/hub";
import { useVisible } from "../../../state/page/visible";
import { useTerminalWishes } from "../../../state/terminals/wishes";
import { Screen, type ScreenHost } from "./screen";

export function useScreen(
  element: RefObject<HTMLElement | null>,
  /** Another one is another screen. */
  name: string,
  host: ScreenHost,
): Screen | null {
  const [screen, setScreen] = useState<Screen | null>(null);
  const { reader, size } = useTerminalWishes();
  const current = useRef(host);
  current.current = host;
  const { watch } = host;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name says whose screen it is
  useEffect(() => {
    if (element.current === null) return undefined;
    const looks = useTerminalWishes.getState();
    const made = new Screen(element.current, looks, {
      watch,
      connect: (room) => current.current.connect(room),
      told: (frame) => current.current.told(frame),
      live: (live) => current.current.live(live),
      link: (link) => current.current.link(link),
      key: (event) => current.current.key(event),
      typed: (data) => current.current.typed(data),
      copied: (text) => current.current.copied(text),
    });
    setScreen(made);
    return () => {
      setScreen(null);
      made.dispose();
    };
  }, [element, name, watch]);
  useEffect(() => screen?.look({ reader, size }), [screen, reader, size]);
  useConnection(screen);
  return screen;
}

/** Nobody looks at a hidden page: its socket is closed, and the screen drawn anew afterwards. */
function useConnection(screen: Screen | null): void {
  const visible = useVisible();
  const open = useHub((hub) => hub.connection === "open");
  useEffect(() => {
    if (screen === null || !visible) return undefined;
    screen.start();
    return screen.stop;
  }, [screen, visible]);
  useEffect(() => {
    if (open) screen?.hurry();
  }, [screen, open]);
}

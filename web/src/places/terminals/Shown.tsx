import { useEffect, useRef, useState } from "react";
import { connectTerminal, type Terminal } from "../../api/terminals";
import type { SessionView } from "../../api/types.gen";
import { withCtrl } from "../../state/terminals/habits";
import type { FromHub, ScreenFrame } from "../../state/terminals/protocol";
import type { Where } from "../../state/terminals/shown";
import { forgetViewers, noteViewers } from "../../state/terminals/viewers";
import { isAsked, isWatched, useAsked, useTerminalWishes } from "../../state/terminals/wishes";
import { isOver } from "./acts";
import { Bars } from "./Bars";
import { Search } from "./Search";
import { useScreen } from "./screen/useScreen";
import { TouchKeys } from "./TouchKeys";
import { copyFor, takeKey } from "./takeKey";
import { useLinks } from "./useLinks";
import "@xterm/xterm/css/xterm.css";

interface Props {
  readonly session: SessionView;
  readonly terminal: Terminal;
  readonly where: Where;
  readonly isFront: boolean;
  readonly isBeside: boolean;
  readonly onFront: () => void;
  readonly onAside: () => void;
}

/** One terminal on the page, with all that stands around its screen. */
export function Shown({ session, terminal, where, isFront, isBeside, onFront, onAside }: Props) {
  const { name, started_at } = terminal;
  const [state, setState] = useState<"opening" | "live" | "away">("opening");
  const [problem, setProblem] = useState("");
  const [searching, setSearching] = useState(false);
  const [ctrl, setCtrl] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const watch = useTerminalWishes(({ watched }) => isWatched(watched, session.id, name));
  const link = useLinks(session);
  const told = (frame: Exclude<FromHub, ScreenFrame>) => {
    if (frame.type === "viewers") noteViewers(session.id, name, frame.viewers);
    if (frame.type === "error") setProblem(frame.message);
  };
  const screen = useScreen(element, `${session.id}/${name}/${started_at}`, {
    connect: (size) => connectTerminal(session.id, name, watch ? "watch" : "type", size),
    watch,
    told,
    live: (now) => {
      setState(now ? "live" : "away");
      if (now) setProblem("");
    },
    link,
    key: (event) => takeKey(event, screen, () => setSearching(true)),
    typed: (data) => {
      setCtrl(false);
      return ctrl ? withCtrl(data) : data;
    },
    copied: (text) => copyFor(name, text),
  });
  useEffect(() => () => forgetViewers(session.id, name), [session.id, name]);
  const asked = useAsked();
  const mine = isAsked(asked.of, { where, session: session.id, name });
  useEffect(() => {
    if (!mine || screen === null) return;
    useAsked.setState({ of: null });
    if (asked.what === "search") setSearching(true);
    else screen.focus();
  }, [mine, screen, asked.what]);
  const leaveSearch = () => {
    setSearching(false);
    screen?.focus();
  };
  return (
    <section
      className="term-cell"
      aria-label={`Terminal ${name}`}
      data-testid="terminal"
      data-name={name}
      data-state={state}
      data-front={isFront && isBeside}
      onFocusCapture={onFront}
    >
      <Bars
        {...{ session, terminal, isBeside, watch, problem, onAside, isAway: state === "away" }}
      />
      {searching && screen && <Search screen={screen} onClose={leaveSearch} />}
      <div className="term-screen">
        <div ref={element} className="term-room" />
      </div>
      {screen && !watch && !isOver(terminal) && (
        <TouchKeys screen={screen} ctrl={ctrl} onCtrl={setCtrl} />
      )}
    </section>
  );
}

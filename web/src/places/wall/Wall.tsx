import { useEffect, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { SessionView } from "../../api/types.gen";
import { useFleet } from "../../state/fleet/fleet";
import { watch } from "../../state/fleet/glances";
import { groupOf, TITLES } from "../../state/fleet/groups";
import { useSelection, useSidebar } from "../../state/fleet/sidebar";
import { useKeys } from "../../state/page/keys";
import { look } from "../../state/topics";
import { sessionPath } from "../routes";
import { NoTiles } from "./NoTiles";
import { Tile } from "./Tile";
import "./wall.css";

const MOST = 16;

/** Up to sixteen sessions side by side, live, and answered in place. */
export default function Wall() {
  const shown = useShown();
  const [chosen, setChosen] = useState("");
  const [, navigate] = useLocation();
  useFollowing(shown);
  const waiting = shown.find((session) => session.attention.length > 0);
  const known = shown.find((session) => session.id === chosen);
  const current = known ?? waiting ?? shown[0];
  const step = (by: number) => {
    const place = shown.findIndex((session) => session.id === current?.id);
    const next = shown[(place + by + shown.length) % shown.length];
    if (next === undefined) return;
    setChosen(next.id);
    const tile = document.querySelector<HTMLElement>(`[data-tile="${next.id}"]`);
    tile?.scrollIntoView({ block: "nearest" });
  };
  const next = { run: () => step(1), repeats: true };
  const previous = { run: () => step(-1), repeats: true };
  useKeys("wall", {
    j: { label: "Next tile", ...next },
    k: { label: "Previous tile", ...previous },
    ArrowRight: { label: "Next tile", ...next },
    ArrowLeft: { label: "Previous tile", ...previous },
    o: { label: "Open the tile", run: () => current && navigate(sessionPath(current.id)) },
  });
  if (shown.length === 0) return <NoTiles />;
  return (
    <main className="wall" data-testid="wall" data-count={shown.length}>
      <h1 className="sr">Wall</h1>
      {shown.map((session) => (
        <Tile
          key={session.id}
          session={session}
          active={session.id === current?.id}
          onChoose={setChosen}
        />
      ))}
    </main>
  );
}

/** Who is on the wall: the chosen, else the busiest; each keeps its place while states change. */
function useShown(): SessionView[] {
  const sessions = useFleet((fleet) => fleet.sessions);
  const chosen = useSelection((selection) => selection.chosen);
  const pinned = useSidebar((sidebar) => sidebar.pinned);
  return useMemo(() => {
    const all = Object.values(sessions).filter((session) => session.status !== "archived");
    const picked = all.filter((session) => chosen.includes(session.id));
    const wanted = picked.length > 1 ? picked : [...all].sort(byBusiness(pinned));
    return wanted.slice(0, MOST).sort((a, b) => a.created_at.localeCompare(b.created_at));
  }, [sessions, chosen, pinned]);
}

function byBusiness(pinned: readonly string[]) {
  const order = TITLES.map(([name]) => name);
  const rank = (session: SessionView) =>
    pinned.includes(session.id) ? -1 : order.indexOf(groupOf(session));
  // Those at work move all the time, and would take each other's places.
  const since = ({ status, created_at, updated_at }: SessionView) =>
    status === "working" ? created_at : updated_at;
  return (a: SessionView, b: SessionView): number =>
    rank(a) - rank(b) || since(b).localeCompare(since(a));
}

function useFollowing(shown: readonly SessionView[]): void {
  const ids = shown.map((session) => session.id).join();
  useEffect(() => {
    const all = ids === "" ? [] : ids.split(",");
    look(all);
    watch(all);
  }, [ids]);
  useEffect(
    () => () => {
      look([]);
      watch([]);
    },
    [],
  );
}

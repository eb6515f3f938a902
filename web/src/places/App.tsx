import { Suspense } from "react";
import { Route, Switch, useLocation } from "wouter";
import { Notices } from "../parts/Notices";
import { useFleet } from "../state/fleet/fleet";
import { useHub } from "../state/hub";
import { Covers } from "./Covers";
import { Fleet } from "./fleet/Fleet";
import { Footer } from "./frame/Footer";
import { Away, TopBar } from "./frame/TopBar";
import { useNews } from "./frame/useNews";
import { Locked } from "./Locked";
import { PLACES } from "./places";
import { SESSIONS } from "./routes";
import { Start } from "./Start";
import { DrawerHere } from "./terminals/DrawerHere";
import { useGlobalKeys } from "./useGlobalKeys";

export function App() {
  const locked = useHub((hub) => hub.locked);
  return (
    <>
      {locked ? <Locked /> : <Frame />}
      <Notices />
    </>
  );
}

function Frame() {
  const [path] = useLocation();
  const empty = useFleet((fleet) => fleet.loaded && Object.keys(fleet.sessions).length === 0);
  useGlobalKeys();
  useNews();
  return (
    <div className="app" data-place={path === SESSIONS && !empty ? "fleet" : "place"}>
      <TopBar />
      <Away />
      <Fleet />
      <Suspense fallback={<main className="empty" aria-busy="true" />}>
        <Switch>
          {PLACES.map(({ path: at, component: Place }) => (
            <Route key={at} path={at}>
              {({ id }: { id?: string }) => <Place key={id} {...(id && { id })} />}
            </Route>
          ))}
          <Route component={Start} />
        </Switch>
      </Suspense>
      <DrawerHere />
      <Footer />
      <Covers />
    </div>
  );
}

import { Route, Switch, useLocation } from "wouter";
import { Notices } from "../parts/Notices";
import { useHub } from "../state/hub";
import { Covers } from "./Covers";
import { Conflicts } from "./conflicts/Conflicts";
import { Fleet } from "./fleet/Fleet";
import { Footer } from "./frame/Footer";
import { Away, TopBar } from "./frame/TopBar";
import { Inbox } from "./inbox/Inbox";
import { Locked } from "./Locked";
import { CONFLICTS, INBOX, SESSION, SESSIONS } from "./routes";
import { Start } from "./Start";
import { Session } from "./session/Session";
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
  useGlobalKeys();
  return (
    <div className="app" data-place={path === SESSIONS ? "fleet" : "place"}>
      <TopBar />
      <Away />
      <Fleet />
      <Switch>
        <Route path={SESSION}>{({ id }) => <Session key={id} id={id} />}</Route>
        <Route path={INBOX} component={Inbox} />
        <Route path={CONFLICTS} component={Conflicts} />
        <Route component={Start} />
      </Switch>
      <Footer />
      <Covers />
    </div>
  );
}

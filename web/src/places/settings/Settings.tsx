import { useEffect, useState } from "react";
import { Link } from "wouter";
import { type Config, fetchConfig } from "../../api/insight";
import { NotifyWishes } from "../../parts/notify/NotifyWishes";
import { PlaceFrame } from "../../parts/PlaceFrame";
import { attempt } from "../../state/page/notices";
import { ARCHIVE, COMMANDS } from "../routes";
import { ConfigText } from "./ConfigText";
import { Fields } from "./Fields";
import { PageSettings } from "./PageSettings";
import "./settings.css";

/** How the page looks, how the hub behaves, and the ways to what is seldom needed. */
export default function Settings() {
  const [config, setConfig] = useState<Config | null>(null);
  useEffect(() => {
    void attempt(async () => setConfig(await fetchConfig()));
  }, []);
  return (
    <PlaceFrame
      title="Settings"
      tools={
        <nav className="settings-more" aria-label="More">
          <Link href={ARCHIVE}>Archive</Link>
          <Link href={COMMANDS}>Command log</Link>
        </nav>
      }
    >
      <PageSettings />
      <NotifyWishes />
      {config !== null && (
        <>
          <Fields config={config} onConfig={setConfig} />
          <ConfigText key={config.digest} config={config} onConfig={setConfig} />
        </>
      )}
    </PlaceFrame>
  );
}

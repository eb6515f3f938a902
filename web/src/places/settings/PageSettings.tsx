import { Button } from "../../parts/Button";
import { Segments } from "../../parts/Segments";
import { setPlainKeys, useKeySettings } from "../../state/page/keys";
import { setCover } from "../../state/page/screen";
import {
  CONTRASTS,
  MOTIONS,
  setContrast,
  setMotion,
  setTheme,
  THEMES,
  useTheme,
} from "../../state/page/theme";
import { LEVELS, setLevel, useLevel } from "../../state/session/opened";
import { Setting } from "./Setting";

/** What this browser remembers for itself. */
export function PageSettings() {
  const { theme, contrast, motion } = useTheme();
  const level = useLevel((state) => state.level);
  const plain = useKeySettings((state) => state.plain);
  return (
    <section aria-labelledby="this-page">
      <h2 id="this-page">This page</h2>
      <Setting name="Theme" says="System follows the machine.">
        <Segments
          label="Theme"
          options={THEMES.map((id) => ({ id, label: id.replace("-", " ") }))}
          chosen={theme}
          onChoose={setTheme}
        />
      </Setting>
      <Setting name="Contrast" says="More makes lines and quiet words stronger.">
        <Segments
          label="Contrast"
          options={CONTRASTS.map((id) => ({ id, label: id }))}
          chosen={contrast}
          onChoose={setContrast}
        />
      </Setting>
      <Setting name="Motion" says="Still stops everything that moves by itself.">
        <Segments
          label="Motion"
          options={MOTIONS.map((id) => ({ id, label: id }))}
          chosen={motion}
          onChoose={setMotion}
        />
      </Setting>
      <Setting name="Conversation" says="How much of the agents' work stands between their words.">
        <Segments
          label="Conversation"
          options={LEVELS.map((id) => ({ id, label: id }))}
          chosen={level}
          onChoose={setLevel}
        />
      </Setting>
      <Setting
        name="Single keys"
        says="Letters that act outside of text boxes, such as n for a new session."
      >
        <Segments
          label="Single keys"
          options={[
            { id: "on", label: "On" },
            { id: "off", label: "Off" },
          ]}
          chosen={plain ? "on" : "off"}
          onChoose={(id) => setPlainKeys(id === "on")}
        />
        <Button look="quiet" onClick={() => setCover({ name: "help" })}>
          Change keys…
        </Button>
      </Setting>
    </section>
  );
}

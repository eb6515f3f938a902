import { type Config, type Field, type SettingValue, setSetting } from "../../api/insight";
import { attempt } from "../../state/page/notices";
import { FieldControl } from "./FieldControl";
import { nameOf, sectionsOf } from "./fields";
import { Setting } from "./Setting";

interface Props {
  readonly config: Config;
  readonly onConfig: (config: Config) => void;
}

/** The hub's settings, each changed by itself in the user's own file. */
export function Fields({ config, onConfig }: Props) {
  const change = (field: Field, value: SettingValue) =>
    attempt(async () => onConfig(await setSetting(field.key, value, config.digest)));
  return sectionsOf(config.fields).map(([section, fields]) => (
    <section key={section} aria-labelledby={`section-${section}`}>
      <h2 id={`section-${section}`}>{nameOf(section)}</h2>
      {fields.map((field) => (
        <Setting
          key={field.key}
          name={nameOf(field.key.slice(section.length + 1))}
          says={field.says}
        >
          <FieldControl
            key={`${config.digest} ${field.key}`}
            field={field}
            disabled={config.problem !== ""}
            onChange={(value) => void change(field, value)}
          />
          {field.given && (
            <button type="button" className="more" onClick={() => void change(field, null)}>
              Default
            </button>
          )}
        </Setting>
      ))}
    </section>
  ));
}

import { useState } from "react";
import { type Config, fetchConfig, setConfig } from "../../api/insight";
import { Problem } from "../../api/request";
import { Button } from "../../parts/Button";
import { copyText } from "../../state/page/clipboard";
import { attempt } from "../../state/page/notices";

interface Props {
  readonly config: Config;
  readonly onConfig: (config: Config) => void;
}

/** The file itself. A mistake is told with its line, and what was typed stays. */
export function ConfigText({ config, onConfig }: Props) {
  const [text, setText] = useState(config.text);
  const [problem, setProblem] = useState(config.problem);
  const changed = text !== config.text;
  const save = () =>
    setConfig(text, config.digest).then(onConfig, (error: unknown) =>
      setProblem(error instanceof Problem ? `${error.message}. ${error.hint}` : String(error)),
    );
  const again = () => attempt(async () => onConfig(await fetchConfig()));
  return (
    <section aria-labelledby="config-file" className="config-text">
      <h2 id="config-file">config.toml</h2>
      <p>
        <code>{config.path}</code>{" "}
        <button type="button" className="more" onClick={() => copyText(config.path, "Path")}>
          Copy path
        </button>
      </p>
      <textarea
        className="field"
        aria-label="config.toml"
        aria-invalid={problem !== ""}
        spellCheck={false}
        rows={Math.min(30, Math.max(10, text.split("\n").length + 1))}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {problem && (
        <p className="tone-bad" role="alert">
          {problem}
        </p>
      )}
      <div className="config-actions">
        <Button
          look={changed ? "primary" : "plain"}
          disabled={!changed}
          onClick={() => void save()}
        >
          Save
        </Button>
        <Button look="quiet" onClick={() => void again()}>
          {changed ? "Drop changes and read again" : "Read again"}
        </Button>
      </div>
    </section>
  );
}

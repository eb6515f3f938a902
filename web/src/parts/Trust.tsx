import { useEffect, useState } from "react";
import type { Bringing } from "../api/answers";
import { fetchBringing, trustRepo } from "../api/hub";
import type { RepoView } from "../api/types.gen";
import { attempt } from "../state/page/notices";
import { Button } from "./Button";
import { baseName, plural } from "./format";
import "./trust.css";

interface Props {
  readonly repo: RepoView;
  readonly onTrusted: (repo: RepoView) => void;
}

/** What a repository could run, shown in full, and the decision to trust exactly that. */
export function Trust({ repo, onTrusted }: Props) {
  const [bringing, setBringing] = useState<Bringing | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    void attempt(async () => setBringing(await fetchBringing(repo.path)));
  }, [repo.path]);
  const trust = async () => {
    setBusy(true);
    await attempt(async () => onTrusted(await trustRepo(repo.path, bringing?.digest ?? "")));
    setBusy(false);
  };
  const pieces = bringing?.pieces ?? [];
  const remotes = Object.entries(bringing?.remotes ?? {});
  return (
    <section className="trust" aria-label={`Trust ${baseName(repo.path)}`} data-testid="trust">
      <p>
        <b>{baseName(repo.path)} is not trusted yet.</b>{" "}
        {bringing !== null &&
          (pieces.length === 0
            ? "It brings nothing along that would run by itself. Agents will still run its tests and tools."
            : `It brings ${plural(pieces.length, "file")} that can run on this machine. Trust it only if you would run them yourself; when they change, you are asked again.`)}
      </p>
      {pieces.map(({ path, digest, text, about }) => (
        <details key={digest}>
          <summary>
            {path} {about && <small>{about}</small>}
          </summary>
          <pre>{text}</pre>
        </details>
      ))}
      {remotes.length > 0 && (
        <p>
          Your tokens and keys are used for{" "}
          {remotes.map(([name, address]) => `${name} (${address})`).join(", ")}, and nowhere else.
        </p>
      )}
      <Button disabled={bringing === null || busy} onClick={() => void trust()}>
        Trust
      </Button>
    </section>
  );
}

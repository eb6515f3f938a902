import { useState } from "react";
import { addRepo } from "../../api/hub";
import { baseName } from "../../parts/format";
import { Trust } from "../../parts/Trust";
import { attempt } from "../../state/page/notices";
import { AddRepo } from "./AddRepo";
import type { Form } from "./useForm";

const OTHER = "+";

/** The repository to work on: one that is known, or another by its path. */
export function RepoField({ form }: { readonly form: Form }) {
  const [other, setOther] = useState(false);
  const adding = other || form.repos?.length === 0;
  const add = async (path: string) => {
    const added = await attempt(async () => form.putRepo(await addRepo(path)));
    if (added) setOther(false);
  };
  if (adding) return <AddRepo onAdd={add} onCancel={other ? () => setOther(false) : null} />;
  const choose = (value: string) => (value === OTHER ? setOther(true) : form.set({ repo: value }));
  const { repo } = form;
  return (
    <>
      <label>
        <span>Repository</span>
        <select
          className="field"
          value={repo?.path ?? ""}
          onChange={(event) => choose(event.target.value)}
        >
          {form.repos?.map(({ path, trusted }) => (
            <option key={path} value={path}>
              {baseName(path)} ({path}){trusted ? "" : ", not trusted"}
            </option>
          ))}
          <option value={OTHER}>Another…</option>
        </select>
      </label>
      {repo && !repo.trusted && <Trust key={repo.path} repo={repo} onTrusted={form.putRepo} />}
    </>
  );
}

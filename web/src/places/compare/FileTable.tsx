import type { DiffFile } from "../../api/answers";
import { Lines } from "../../parts/Lines";

interface Props {
  readonly ids: readonly string[];
  readonly files: Readonly<Record<string, readonly DiffFile[]>>;
}

/** Which session changed which file; those that more than one changed stand first. */
export function FileTable({ ids, files }: Props) {
  const own = (id: string, path: string) => files[id]?.find((file) => file.path === path);
  const paths = [...new Set(ids.flatMap((id) => (files[id] ?? []).map((file) => file.path)))];
  const shared = (path: string) => ids.filter((id) => own(id, path) !== undefined).length;
  const sorted = paths.sort((a, b) => shared(b) - shared(a) || (a < b ? -1 : 1));
  return (
    <tbody className="files">
      {sorted.map((path) => (
        <tr key={path} data-shared={shared(path) > 1 || undefined}>
          <th scope="row">
            {path}
            {shared(path) > 1 && <small> changed by {shared(path)}</small>}
          </th>
          {ids.map((id) => {
            const file = own(id, path);
            return (
              <td key={id}>
                {file && (
                  <>
                    {file.status} <Lines added={file.added} removed={file.removed} />
                  </>
                )}
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  );
}

/** Paths as a tree of which only what is open is listed. */

export interface Node {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly folder: boolean;
  readonly open: boolean;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: string[];
}

/** The rows in sight: folders first, each followed by what is in it where it is open. */
export function treeOf(paths: readonly string[], open: ReadonlySet<string>): Node[] {
  const rows: Node[] = [];
  list(rootOf(paths), "", 0, open, rows);
  return rows;
}

function rootOf(paths: readonly string[]): Folder {
  const root = folder();
  for (const path of paths) {
    const parts = path.split("/");
    let at = root;
    for (const part of parts.slice(0, -1)) {
      const next = at.folders.get(part) ?? folder();
      at.folders.set(part, next);
      at = next;
    }
    at.files.push(parts.at(-1) ?? "");
  }
  return root;
}

function folder(): Folder {
  return { folders: new Map(), files: [] };
}

function list(
  at: Folder,
  above: string,
  depth: number,
  open: ReadonlySet<string>,
  rows: Node[],
): void {
  for (const [first, inside] of [...at.folders].sort(([a], [b]) => a.localeCompare(b))) {
    const [name, content] = joined(first, inside);
    const path = above + name;
    const isOpen = open.has(path);
    rows.push({ path, name, depth, folder: true, open: isOpen });
    if (isOpen) list(content, `${path}/`, depth + 1, open, rows);
  }
  for (const name of [...at.files].sort((a, b) => a.localeCompare(b))) {
    rows.push({ path: above + name, name, depth, folder: false, open: false });
  }
}

/** Folders that hold nothing but one folder stand in one row. */
function joined(first: string, inside: Folder): [string, Folder] {
  let [name, content] = [first, inside];
  while (content.files.length === 0 && content.folders.size === 1) {
    const [[next, below] = ["", content]] = content.folders;
    [name, content] = [`${name}/${next}`, below];
  }
  return [name, content];
}

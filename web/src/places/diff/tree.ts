/** Changed files as a tree of folders, flattened to the rows that show. */

export interface TreeFile {
  readonly path: string;
  readonly status: string;
  readonly added: number;
  readonly removed: number;
  readonly viewed: string;
  readonly comments: number;
}

export interface TreeNode {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly closed: boolean;
  /** Null for a folder. */
  readonly file: TreeFile | null;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: TreeFile[];
}

export function nodesOf(
  files: readonly TreeFile[],
  filter: string,
  closed: ReadonlySet<string>,
): TreeNode[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = files.filter(({ path }) => {
    const name = path.toLowerCase();
    return words.every((word) => name.includes(word));
  });
  return flat(treeOf(chosen), "", 0, words.length > 0 ? new Set() : closed);
}

function treeOf(files: readonly TreeFile[]): Folder {
  const root: Folder = { folders: new Map(), files: [] };
  for (const file of files) {
    let at = root;
    for (const part of file.path.split("/").slice(0, -1)) {
      let next = at.folders.get(part);
      if (next === undefined) {
        next = { folders: new Map(), files: [] };
        at.folders.set(part, next);
      }
      at = next;
    }
    at.files.push(file);
  }
  return root;
}

function flat(
  folder: Folder,
  above: string,
  depth: number,
  closed: ReadonlySet<string>,
): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (const [first, inner] of folder.folders) {
    const [name, last] = joined(first, inner);
    const path = `${above}${name}/`;
    const isClosed = closed.has(path);
    nodes.push({ path, name, depth, closed: isClosed, file: null });
    if (!isClosed) nodes.push(...flat(last, path, depth + 1, closed));
  }
  for (const file of folder.files) {
    const name = file.path.slice(above.length);
    nodes.push({ path: file.path, name, depth, closed: false, file });
  }
  return nodes;
}

/** A folder that holds nothing but one other shares its row. */
function joined(name: string, folder: Folder): [string, Folder] {
  const [only] = folder.folders;
  if (folder.files.length > 0 || folder.folders.size !== 1 || only === undefined) {
    return [name, folder];
  }
  const [rest, last] = joined(only[0], only[1]);
  return [`${name}/${rest}`, last];
}

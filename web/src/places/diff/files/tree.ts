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

/** Folders and files by name, in the order of the diff, so that list and tree are read alike. */
type Folder = Map<string, Folder | TreeFile>;

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
  const root: Folder = new Map();
  for (const file of files) {
    let at = root;
    for (const part of file.path.split("/").slice(0, -1)) at = folderIn(at, `${part}/`);
    at.set(file.path.slice(file.path.lastIndexOf("/") + 1), file);
  }
  return root;
}

function folderIn(folder: Folder, name: string): Folder {
  const known = folder.get(name);
  if (known instanceof Map) return known;
  const made: Folder = new Map();
  folder.set(name, made);
  return made;
}

function flat(
  folder: Folder,
  above: string,
  depth: number,
  closed: ReadonlySet<string>,
): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (const [first, inner] of folder) {
    if (!(inner instanceof Map)) {
      nodes.push({ path: inner.path, name: first, depth, closed: false, file: inner });
      continue;
    }
    const [name, last] = joined(first, inner);
    const path = `${above}${name}`;
    const isClosed = closed.has(path);
    nodes.push({ path, name: name.slice(0, -1), depth, closed: isClosed, file: null });
    if (!isClosed) for (const node of flat(last, path, depth + 1, closed)) nodes.push(node);
  }
  return nodes;
}

/** A folder that holds nothing but one other shares its row. */
function joined(name: string, folder: Folder): [string, Folder] {
  const [only] = folder;
  if (folder.size !== 1 || only === undefined || !(only[1] instanceof Map)) return [name, folder];
  const [rest, last] = joined(only[0], only[1]);
  return [`${name}${rest}`, last];
}

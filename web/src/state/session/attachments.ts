/** Files that wait to be sent with a message, kept in this browser over a reload. */

import { useEffect, useState } from "react";
import type { Attachment } from "../../api/answers";
import { notify } from "../page/notices";

export const MOST_BYTES = 8 * 1024 * 1024;
export const MOST_FILES = 12;
const TABLE = "attachments";

export interface Attaching {
  readonly files: readonly Attachment[];
  readonly add: (files: Iterable<File>) => Promise<void>;
  readonly remove: (place: number) => void;
  readonly clear: () => void;
}

export function useAttachments(name: string): Attaching {
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  useEffect(() => {
    let shown = true;
    void load(name).then((kept) => shown && setFiles(kept));
    return () => {
      shown = false;
    };
  }, [name]);
  const put = (next: readonly Attachment[]) => {
    setFiles(next);
    void save(name, next);
  };
  return {
    files,
    add: async (given) => {
      const fresh = await Promise.all([...given].filter(isSmall).map(read));
      put([...files, ...fresh].slice(0, MOST_FILES));
    },
    remove: (place) => put(files.filter((_, at) => at !== place)),
    clear: () => put([]),
  };
}

function isSmall(file: File): boolean {
  if (file.size > MOST_BYTES) {
    notify(`${file.name} is too large to attach.`, `At most ${MOST_BYTES / 1024 / 1024} MB.`);
  }
  return file.size <= MOST_BYTES;
}

async function read(file: File): Promise<Attachment> {
  const url = await new Promise<string>((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
  const media_type = file.type || "application/octet-stream";
  return { name: file.name || "pasted", media_type, data: url.slice(url.indexOf(",") + 1) };
}

/** A browser that keeps nothing (a private window) attaches all the same. */
async function load(name: string): Promise<readonly Attachment[]> {
  return (await inStore("readonly", (store) => store.get(name)).catch(() => [])) ?? [];
}

async function save(name: string, files: readonly Attachment[]): Promise<void> {
  const change = (store: IDBObjectStore): IDBRequest =>
    files.length === 0 ? store.delete(name) : store.put(files, name);
  await inStore("readwrite", change).catch(() => undefined);
}

function inStore<T>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  return new Promise((done, failed) => {
    const opening = indexedDB.open("manyhands", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(TABLE);
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const asked = ask(opening.result.transaction(TABLE, mode).objectStore(TABLE));
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => failed(asked.error);
      asked.transaction?.addEventListener("complete", () => opening.result.close());
    };
  });
}

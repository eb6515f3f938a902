/** Files that wait to be sent with a message, kept in this browser over a reload. */

import { useEffect, useRef, useState } from "react";
import type { Attachment } from "../../api/answers";
import { notify } from "../page/notices";

export const MOST_BYTES = 8 * 1024 * 1024;
export const MOST_FILES = 12;
const TABLE = "attachments";

export interface Attaching {
  readonly files: readonly Attachment[];
  readonly add: (files: Iterable<File>) => Promise<void>;
  readonly remove: (place: number) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/** What is shown is kept already: a reload in the next moment loses nothing and brings nothing back. */
export function useAttachments(name: string): Attaching {
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  // Changes come one after the other, each upon what the one before it left.
  const last = useRef<Promise<readonly Attachment[]>>(Promise.resolve([]));
  useEffect(() => {
    const loading = load(name);
    last.current = loading;
    setFiles([]);
    void loading.then((kept) => last.current === loading && setFiles(kept));
  }, [name]);
  const change = async (make: (files: readonly Attachment[]) => readonly Attachment[]) => {
    const changing = last.current.then(async (before) => {
      const next = make(before);
      await save(name, next);
      return next;
    });
    last.current = changing;
    const next = await changing;
    if (last.current === changing) setFiles(next);
  };
  useEffect(() => {
    const take = (given: Attachment, instead?: Attachment) =>
      change((before) => added(before, given, instead));
    open.set(name, take);
    return () => {
      if (open.get(name) === take) open.delete(name);
    };
  });
  return {
    files,
    add: async (given) => {
      const fresh = await Promise.all([...given].filter(isSmall).map(read));
      await change((before) => [...before, ...fresh].slice(0, MOST_FILES));
    },
    remove: (place) => change((before) => before.filter((_, at) => at !== place)),
    clear: () => change(() => []),
  };
}

const open = new Map<string, (given: Attachment, instead?: Attachment) => Promise<void>>();

/**
 * What goes with the next message of `name`, whoever has it: the composer, if it is there. It takes
 * the place of `instead`, where that is still to be sent.
 */
export async function handOver(
  name: string,
  given: Attachment,
  instead?: Attachment,
): Promise<void> {
  const composer = open.get(name);
  if (composer !== undefined) await composer(given, instead);
  else await save(name, added(await load(name), given, instead));
}

function added(
  before: readonly Attachment[],
  given: Attachment,
  instead?: Attachment,
): readonly Attachment[] {
  const at = before.findIndex(({ data, name }) => data === instead?.data && name === instead.name);
  return (at < 0 ? [...before, given] : before.with(at, given)).slice(0, MOST_FILES);
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
      const work = opening.result.transaction(TABLE, mode);
      const asked = ask(work.objectStore(TABLE));
      work.oncomplete = () => {
        opening.result.close();
        done(asked.result);
      };
      work.onabort = () => {
        opening.result.close();
        failed(work.error);
      };
    };
  });
}

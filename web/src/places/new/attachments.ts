/** Files that go with the first message, read into what the hub takes. */

export interface Attached {
  readonly name: string;
  readonly media_type: string;
  readonly data: string;
}

const MOST_BYTES = 10 * 1024 * 1024;

export async function attached(file: File): Promise<Attached> {
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 10 MB.`);
  const address = await new Promise<string>((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(`${reader.result}`);
    reader.onerror = () => fail(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
  return {
    name: file.name,
    media_type: file.type || "application/octet-stream",
    data: address.slice(address.indexOf(",") + 1),
  };
}

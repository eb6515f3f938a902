/** Binary frames: the length of the topic's name in one byte, the name in UTF-8, the bytes. */

export function pack(topic: string, payload: Uint8Array): Uint8Array {
  const name = new TextEncoder().encode(topic);
  return new Uint8Array([name.length, ...name, ...payload]);
}

export function unpack(frame: Uint8Array): [topic: string, payload: Uint8Array] {
  const start = 1 + (frame[0] ?? 0);
  return [new TextDecoder().decode(frame.subarray(1, start)), frame.subarray(start)];
}

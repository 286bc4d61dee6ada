/** A copy for keeping. A small part of Node's pool of buffers, as `Buffer.from` makes it, would keep 64 KiB in memory. */
export function ownCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.alloc(bytes.length);
  copy.set(bytes);
  return copy;
}

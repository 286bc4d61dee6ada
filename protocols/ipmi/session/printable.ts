/** A name from the wire, as it may stand in logs: what is not printable ASCII shows as `?`. */
export function printable(name: Buffer): string {
  return name.toString('latin1').replace(/[^\x20-\x7e]/g, '?');
}

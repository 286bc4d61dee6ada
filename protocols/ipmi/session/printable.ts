/** A received name for logs: characters other than printable ASCII become `?`. */
export function printable(name: Buffer): string {
  return name.toString('latin1').replace(/[^\x20-\x7e]/g, '?');
}

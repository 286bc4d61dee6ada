/** Offsets 0 to 14 as a bit each. */
export function stateMask(offsets: readonly number[]): number {
  return offsets.reduce((mask, offset) => mask | ((1 << offset) & 0x7fff), 0);
}

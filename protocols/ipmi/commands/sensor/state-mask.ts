/** Bit mask of the offsets 0 to 14. */
export function stateMask(offsets: readonly number[]): number {
  return offsets.reduce((mask, offset) => mask | ((1 << offset) & 0x7fff), 0);
}

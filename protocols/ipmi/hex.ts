/** A number in the notation of specifications: `0x0c`. */
export function hex(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`;
}

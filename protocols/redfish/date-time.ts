/** @param at ms since 1970 @returns as Redfish writes it (DSP0266 §9.5.4), to the second, in UTC: `2026-11-22T01:02:03Z` */
export function dateTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, -'.000Z'.length)}Z`;
}

/** A JSON value. `undefined` marks a missing property. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** @param at ms since 1970 @returns the time in Redfish format (DSP0266 §9.5.4), in UTC, to the second: `2026-11-22T01:02:03Z` */
export function dateTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, -'.000Z'.length)}Z`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

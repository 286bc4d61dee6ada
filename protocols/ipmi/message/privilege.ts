/** Privilege levels, IPMI 2.0 §6.8; each includes the lower ones. */
export const PRIVILEGE = { callback: 1, user: 2, operator: 3, administrator: 4 } as const;

export type Privilege = (typeof PRIVILEGE)[keyof typeof PRIVILEGE];

/** Level reserved for OEM use; never granted here. */
export const OEM_PRIVILEGE = 5;

/** The level of a received number; undefined for 0, OEM and reserved numbers. */
export function privilegeOf(value: number): Privilege | undefined {
  return Object.values(PRIVILEGE).find((level) => level === value);
}

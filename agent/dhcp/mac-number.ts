import { canonicalMac } from '../../api/index.ts';
import type { HardwareAddress } from '../../protocols/dhcp/index.ts';

/** A MAC address in any spelling as a number of 48 bits; undefined for what is none. */
export function macNumber(text: string): HardwareAddress | undefined {
  const canonical = canonicalMac(text);
  return canonical === undefined ? undefined : Number.parseInt(canonical.replaceAll(':', ''), 16);
}

export function macText(address: HardwareAddress): string {
  return (address.toString(16).padStart(12, '0').match(/../g) ?? []).join(':');
}

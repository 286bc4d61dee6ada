import { canonicalMac } from '../../api/index.ts';
import type { HardwareAddress } from '../../protocols/dhcp/index.ts';

/** A MAC address in any notation as a 48-bit number; undefined if invalid. */
export function macNumber(text: string): HardwareAddress | undefined {
  const canonical = canonicalMac(text);
  return canonical === undefined ? undefined : Number.parseInt(canonical.replaceAll(':', ''), 16);
}

export function macText(address: HardwareAddress): string {
  return (address.toString(16).padStart(12, '0').match(/../g) ?? []).join(':');
}

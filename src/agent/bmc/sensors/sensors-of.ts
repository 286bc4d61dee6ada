import type { Sensor } from '../../../protocols/machine/index.ts';

/** What is measured of a VM. */
export function sensorsOf(): readonly Sensor[] {
  return [];
}

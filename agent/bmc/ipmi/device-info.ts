import type { DeviceInfo } from '../../../protocols/ipmi/index.ts';

/** What the BMC says of itself, from the version of the program: `1.2.3` shows as firmware revision 1.2. */
export function deviceInfoOf(version: string): DeviceInfo {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return { firmware: { major: Math.min(major, 127), minor: Math.min(minor, 99) } };
}

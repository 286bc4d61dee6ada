import type { DeviceInfo } from '../../../protocols/ipmi/index.ts';

/** Device information of the BMC; version `1.2.3` becomes firmware revision 1.2. */
export function deviceInfoOf(version: string): DeviceInfo {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return { firmware: { major: Math.min(major, 127), minor: Math.min(minor, 99) } };
}

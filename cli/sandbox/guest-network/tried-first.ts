import type { Card, Machine } from '@groundcrew/kubevirt-simulator/guest';

/** The cards that firmware tries for network boot before the first drive with an operating system. */
export function triedFirst({ bootDevices }: Machine): Card[] {
  const system = bootDevices.findIndex((device) => device.kind === 'drive' && device.drive.bootable);
  const before = system === -1 ? bootDevices : bootDevices.slice(0, system);
  return before.flatMap((device) => (device.kind === 'card' && device.card.network !== undefined ? [device.card] : []));
}

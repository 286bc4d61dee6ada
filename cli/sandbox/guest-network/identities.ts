import { bootIdentity, type ClientIdentity } from '../../../protocols/dhcp/index.ts';
import type { Machine } from '@groundcrew/kubevirt-simulator/guest';

type Identity = Omit<ClientIdentity, 'macAddress'>;

/** What a machine's firmware says of itself: with SeaBIOS it is QEMU's ROM that asks, and that is iPXE. */
export function firmwareIdentity({ firmware: { kind, uuid } }: Machine): Identity {
  const machineIdentifier = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  const of = machineIdentifier.length === 16 ? { machineIdentifier } : {};
  return kind === 'bios' ? bootIdentity('bios', { ...of, isIpxe: true }) : bootIdentity('efi-x64', of);
}

/** What the system on its disk says. */
export function systemIdentity({ hostname }: Machine): Identity {
  return { hostname };
}

import { bootIdentity, type ClientIdentity } from '../../../protocols/dhcp/index.ts';
import type { Machine } from '@groundcrew/kubevirt-simulator/guest';

type Identity = Omit<ClientIdentity, 'macAddress'>;

/** The DHCP identity of a machine's firmware; with SeaBIOS the client is QEMU's iPXE ROM. */
export function firmwareIdentity({ firmware: { kind, uuid } }: Machine): Identity {
  const machineIdentifier = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  const of = machineIdentifier.length === 16 ? { machineIdentifier } : {};
  return kind === 'bios' ? bootIdentity('bios', { ...of, isIpxe: true }) : bootIdentity('efi-x64', of);
}

/** The DHCP identity of the installed operating system. */
export function systemIdentity({ hostname }: Machine): Identity {
  return { hostname };
}

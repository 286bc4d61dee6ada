import type { BootDevice, Machine } from './machine.ts';
import type { Network } from './network.ts';
import type { FirmwareLog } from './script.ts';

/** What OVMF writes (EDK II `PlatformBm`, `BdsDxe`, `UefiPxeBcDxe`). */
export function ovmf(machine: Machine, network: Network): FirmwareLog {
  return {
    banner: ['UEFI firmware (edk2-20240524-6.el9)', `System UUID ${machine.firmware.uuid}`],
    prompt: 'ESC (setup), F1 (shell), ENTER (boot)',
    attempts: attempts(machine, network),
  };
}

function attempts(machine: Machine, network: Network): string[] {
  const lines = [''];
  for (const [index, device] of machine.bootDevices.entries()) {
    const option = `Boot${(index + 1).toString(16).toUpperCase().padStart(4, '0')} ${describe(device)}`;
    lines.push(`BdsDxe: loading ${option}`);
    if (device.kind === 'drive' && device.drive.bootable) return [...lines, `BdsDxe: starting ${option}`];
    lines.push(...attempt(device, network), `BdsDxe: failed to load ${option}: Not Found`);
  }
  return [
    ...lines,
    'BdsDxe: No bootable option or device was found.',
    'BdsDxe: Press any key to enter the Boot Manager Menu.',
  ];
}

function describe(device: BootDevice): string {
  if (device.kind === 'card') {
    const mac = device.card.mac.replaceAll(':', '').toUpperCase();
    const slot = (Number(device.card.device.replace('eth', '')) + 1).toString(16);
    return `"UEFI PXEv4 (MAC:${mac})" from PciRoot(0x0)/Pci(0x2,0x0)/Pci(0x0,0x${slot})/MAC(${mac},0x1)/IPv4(0.0.0.0,0x0,DHCP)`;
  }
  const { kind, device: name, medium } = device.drive;
  if (kind === 'disk') return `"UEFI Misc Device ${name}" from PciRoot(0x0)/Pci(0x2,0x4)/Pci(0x0,0x0)`;
  return `"UEFI QEMU DVD-ROM ${medium ?? '(empty)'}" from PciRoot(0x0)/Pci(0x1F,0x2)/Sata(0x0,0xFFFF,0x0)`;
}

function attempt(device: BootDevice, network: Network): string[] {
  if (device.kind === 'drive') return [];
  const lease = network.firmware(device.card);
  // Without a boot file an offer is none to PXE.
  if (lease?.bootFile === undefined) return ['', '>>Start PXE over IPv4.', '  PXE-E16: No valid offer received.'];
  return [
    '',
    '>>Start PXE over IPv4.',
    `  Station IP address is ${lease.address}`,
    '',
    `  Server IP address is ${lease.nextServer ?? lease.server}`,
    `  NBP filename is ${lease.bootFile}`,
    '  NBP filesize is 0 Bytes',
    "  PXE-E18: Server response timeout. (The sandbox's networks carry DHCP alone.)",
  ];
}

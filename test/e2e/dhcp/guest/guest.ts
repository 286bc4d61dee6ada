import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Lan } from '../../../harness/namespaces/index.ts';
import type { ServerProcess } from '../../../harness/process.ts';
import { findTool, type ToolName } from '../../../tools/index.ts';

/** SeaBIOS with iPXE; UEFI (EDK2's OVMF) with iPXE; and UEFI's own network boot, by PXE and by HTTP. */
export type Firmware = 'bios-ipxe' | 'uefi-ipxe' | 'uefi-pxe' | 'uefi-http';

export interface GuestOptions {
  lan: Lan;
  firmware: Firmware;
  macAddress: string;
  /** Folder for its console, firmware variables and log. */
  folder: string;
}

/** The programs and files for a machine with real firmware. */
export const GUEST_TOOLS: readonly ToolName[] = [
  'qemu-system-x86_64',
  'OVMF_CODE_4M.fd',
  'OVMF_VARS_4M.fd',
  'efi-virtio.rom',
];

/** Disables PXE in the firmware's boot options, so that HTTP is first. */
const NO_PXE = [4, 6].flatMap((version) => ['-fw_cfg', `name=opt/org.tianocore/IPv${version}PXESupport,string=n`]);

/** A virtual machine without a disk, in QEMU without KVM: its firmware can boot only from the network. */
export class Guest {
  readonly #process: ServerProcess;
  readonly #folder: string;

  constructor({ lan, firmware, macAddress, folder }: GuestOptions) {
    this.#folder = folder;
    const args = [
      ...['-accel', 'tcg', '-m', '256', '-nodefaults', '-display', 'none', '-boot', 'order=n'],
      // SeaBIOS writes to the serial port if there are no graphics.
      ...['-machine', 'q35,graphics=off', '-serial', `file:${this.#path('console')}`],
      ...['-monitor', `unix:${this.#path('monitor')},server,nowait`],
      ...['-netdev', `tap,id=n0,ifname=${lan.addTap()},script=no,downscript=no`],
      // The ROM is iPXE's; without it the firmware uses its own network boot.
      ...['-device', `virtio-net-pci,netdev=n0,mac=${macAddress}${firmware.endsWith('ipxe') ? '' : ',romfile='}`],
      ...(firmware.startsWith('uefi') ? this.#uefi() : []),
      ...(firmware === 'uefi-http' ? NO_PXE : []),
    ];
    this.#process = lan.namespace.process('qemu-system-x86_64', args, { log: this.#path('qemu.log') });
  }

  powerOn(): void {
    this.#process.start();
  }

  /** Serial output of its firmware and programs, without terminal escape codes. */
  console(): string {
    const file = this.#path('console');
    return existsSync(file) ? readFileSync(file, 'latin1').replaceAll(/\x1b\[[0-9;=?]*[A-Za-z]/g, '') : '';
  }

  /** Resets the machine, like a reboot from inside the guest. */
  async reboot(): Promise<void> {
    const monitor = connect(this.#path('monitor'));
    await once(monitor, 'connect');
    monitor.end('system_reset\n');
    await once(monitor.resume(), 'close');
  }

  async close(): Promise<void> {
    await this.#process.dispose();
  }

  /** The last lines of its output, for the report of a failure. */
  report(): string {
    return `--- console\n${this.console().slice(-3000)}\n--- qemu\n${this.#process.logTail()}`;
  }

  #uefi(): string[] {
    const variables = this.#path('variables.fd');
    copyFileSync(findTool('OVMF_VARS_4M.fd') ?? '', variables);
    const flash = (file: string, ...more: string[]) => [
      '-drive',
      ['if=pflash', 'format=raw', `file=${file}`, ...more].join(','),
    ];
    return [...flash(findTool('OVMF_CODE_4M.fd') ?? '', 'readonly=on'), ...flash(variables)];
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MachineEvent, Requester } from '../../../protocols/machine/index.ts';
import { someSensors } from '../../../protocols/ipmi/testing/some-sensors.ts';
import { MemoryEventLog, MemoryMachine } from '../../../protocols/testing/index.ts';
import { needs } from '../../tools/index.ts';
import { runLine } from './runner/run-line.ts';
import { startMemoryBmc, type MemoryBmc } from './runner/memory-bmc.ts';

/**
 * How real clients show the event log, sensors and inventory of a machine with complete data. The data of a KubeVirt VM
 * is in the table of `ipmi/clients.test.ts`.
 */

const CLIENTS = ['ipmitool', 'ipmi-power'] as const;
const CACHE = '--sdr-cache-directory=.';
/** ms */
const TIMEOUT = 30_000;

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' };

const EVENTS: readonly MachineEvent[] = [
  { kind: 'PowerAction', action: 'On', outcome: 'Accepted', requester },
  { kind: 'PowerState', state: 'On' },
  { kind: 'PowerAction', action: 'GracefulShutdown', outcome: 'Accepted', requester },
  { kind: 'PowerAction', action: 'ForceRestart', outcome: 'Refused', requester },
  { kind: 'BootOverride', target: 'boot once from the network', outcome: 'Accepted', requester },
  { kind: 'LoginFailed', requester, why: 'WrongPassword' },
  { kind: 'Watchdog', action: 'Reset', use: 4 },
  { kind: 'Media', change: 'Ejected', slot: 'cd' },
];

/** The last columns of ipmitool's list, in the order of the events; the user and the address have two more lines. */
const USER = 'OEM record c0 | 000000 | 61646d696e00';
const SOURCE = 'OEM record c1 | 000000 | c00002070400';
const LINES = [
  ...['System Boot Initiated Boot | Initiated by power up | Asserted', USER, SOURCE],
  'System ACPI Power State Power State | S0/G0: working | Asserted',
  ...['Button Power Button | Power Button pressed | Asserted', USER, SOURCE],
  ...['Power Unit Power Control | Soft-power control failure | Asserted', USER, SOURCE],
  ...['System Event Boot Override | System Reconfigured | Asserted', USER, SOURCE],
  ...['Platform Security Login | Out-of-band access password violation | Asserted', USER, SOURCE],
  'Watchdog2 Watchdog | Hard reset | Asserted',
  'Drive Slot / Bay Media | Drive Present | Deasserted',
];

/** A machine whose log has times. */
class TimedMachine extends MemoryMachine {
  override readonly log = new MemoryEventLog(Date.now);
}

describe('real clients', needs(...CLIENTS), () => {
  let folder: string;
  let machine: TimedMachine;
  let bmc: MemoryBmc;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-inventory-'));
    machine = new TimedMachine({ state: 'On' });
    bmc = await startMemoryBmc({ machine });
    machine.readings = someSensors();
    machine.parts = {
      ...{ manufacturer: 'KubeVirt', model: 'u1.medium', serial: 'S-1', assetTag: 'Büro 7' },
      ...{ createdAt: Date.UTC(2025, 5, 1, 12), cpuCount: 4, memoryBytes: 4 * 2 ** 30 },
      networkInterfaces: [{ name: 'default', macAddress: '02:00:00:00:00:01', ipAddresses: [] }],
      disks: [],
    };
    for (const event of EVENTS) machine.log.append(event);
  });

  afterEach(async () => {
    await bmc.close();
    rmSync(folder, { recursive: true });
    expect(bmc.errors).toEqual([]);
  });

  /** The output of a command that must succeed with an empty stderr. */
  async function prints(command: string): Promise<string> {
    const { code, stdout, stderr } = await runLine(command, bmc.endpoint, { folder, timeout: TIMEOUT });
    expect({ code, stderr }, command).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  async function selLines(): Promise<string[]> {
    const rows = (await prints('ipmitool $L sel elist')).trimEnd().split('\n');
    return rows.map((row) => row.split(' | ').slice(3).join(' | '));
  }

  it('ipmitool shows one line for each event, in six columns', async () => {
    expect(await selLines()).toEqual(LINES.filter((line) => line !== USER && line !== SOURCE));
    const rows = (await prints('ipmitool $L sel list')).trimEnd().split('\n');
    expect(rows.filter((row) => row.split('|').length < 6)).toEqual([]);
    expect(rows.map((row) => Number(row.split('|')[0]))).toEqual(EVENTS.map((_event, index) => index + 1));
    expect(await prints('ipmitool $L sel info')).toMatch(/^Entries +: 8$/m);
  });

  it('ipmitool shows user and address of each event if the owner wants it', async () => {
    await bmc.close();
    bmc = await startMemoryBmc({ machine, oemEventRecords: true });
    expect(await selLines()).toEqual(LINES);
    const rows = (await prints('ipmitool $L sel list')).trimEnd().split('\n');
    expect(rows.filter((row) => row.split('|').length < 6)).toEqual([]);
    expect(await prints('ipmitool $L sel info')).toMatch(/^Entries +: 18$/m);
  });

  it('ipmitool shows sensors and their readings', async () => {
    const rows = (await prints('ipmitool $L sdr elist all')).trimEnd().split('\n');
    expect(rows.slice(0, 7).map((row) => row.split('|').map((cell) => cell.trim()))).toEqual([
      ['BMC', '00h', 'ok', '6.1', 'Dynamic MC @ 20h'],
      ['Virtual Machine', '00h', 'ns', '23.1', 'Logical FRU @00h'],
      ['Power State', '01h', 'ok', '7.1', 'S0/G0: working'],
      ['Guest Agent', '02h', 'ok', '7.1', 'Absent'],
      ['vCPUs', '04h', 'ok', '7.1', '4 unspecified'],
      ['Memory', '05h', 'ok', '7.1', '4096 megabyte'],
      ['CPU Used', '06h', 'ns', '7.1', 'No Reading'],
    ]);
    expect(await prints('ipmitool $L sensor list')).toMatch(
      /^Memory +\| 4096\.000 +\| megabyte +\| ok( +\| na){6} +$/m,
    );
    expect(await prints('ipmitool $L sensor get Memory')).toMatch(/^ Sensor Reading +: 4096 \(\+\/- 0\) megabyte$/m);
  });

  it('ipmitool shows that there is no event filter', async () => {
    expect(await prints('ipmitool $L pef info')).toMatch(/^ 0x51 \| 0 \| 0 \| /m);
    expect(await prints('ipmitool $L pef status')).toMatch(/ \| 0xffff \| 0xffff$/m);
  });

  it('ipmitool and FreeIPMI print the inventory', async () => {
    for (const command of ['ipmitool $L fru print 0', `ipmi-fru $F ${CACHE} --quiet-cache`]) {
      const inventory = await prints(command);
      expect(inventory).toMatch(/Product Name *: default\/testvm$/m);
      expect(inventory).toMatch(/Asset Tag *: Buro 7$/m);
      expect(inventory).toContain(': NIC default: 02:00:00:00:00:01\n');
    }
  });

  it('FreeIPMI reads sensors with a cache that stays valid, and shows their names in the event log', async () => {
    const sensors = await prints(`ipmi-sensors $F ${CACHE} --quiet-cache`);
    expect(sensors).toMatch(/^\d+ +\| Memory +\| Other Units Based Sensor +\| 4096\.00 +\| MB +\| 'OK'$/m);
    machine.readings = someSensors({ known: false });
    // Without --quiet-cache it would print that it reads the records again.
    expect(await prints(`ipmi-sensors $F ${CACHE}`)).toMatch(/^\d+ +\| Memory +\|.*\| N\/A +\| MB +\| N\/A$/m);
    const events = await prints(`ipmi-sel $F ${CACHE}`);
    expect(events).toMatch(/Power Control +\| Power Unit +\| Soft Power Control Failure$/m);
    expect(events).toMatch(/Watchdog +\| Watchdog 2 +\| Hard Reset/m);
    expect(events.trimEnd().split('\n')).toHaveLength(9);
    await prints(`ipmi-sel $F ${CACHE} --clear`);
  });
});

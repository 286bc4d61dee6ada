import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needs } from '../../tools/index.ts';
import { startMemoryBmc, type MemoryBmc } from './runner/memory-bmc.ts';
import { runLine, type Outcome } from './runner/run-line.ts';

/**
 * Chassis, boot options, device and watchdog commands of real clients: their exact output and the effect on the
 * machine.
 */

const DEVICE_GUID = '00010203-0405-0607-0809-0a0b0c0d0e0f';
const MINUTE = 60_000;

let bmc: MemoryBmc;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'groundcrew-chassis-'));
  bmc = await startMemoryBmc({ deviceGuid: DEVICE_GUID });
});

afterEach(async () => {
  await bmc.close();
  rmSync(folder, { recursive: true });
  expect(bmc.errors).toEqual([]);
});

function said(stdout: string): Outcome {
  return { code: 0, stdout, stderr: '' };
}

function refused(stderr: string): Outcome {
  return { code: 1, stdout: '', stderr };
}

async function line(command: string): Promise<Outcome> {
  return await runLine(command, bmc.endpoint, { folder, timeout: 30_000 });
}

async function ipmitool(command: string): Promise<Outcome> {
  return await line(`ipmitool $L ${command}`);
}

/** Runs each command and compares its complete output. */
async function each(commands: Readonly<Record<string, string>>): Promise<void> {
  for (const [command, stdout] of Object.entries(commands)) {
    expect(await ipmitool(command), command).toEqual(said(stdout));
  }
}

function bootParameter(number: number, data: string, ...lines: string[]): string {
  const head = [
    `Boot parameter version: 1`,
    `Boot parameter ${number} is valid/unlocked`,
    `Boot parameter data: ${data}`,
  ];
  return [...head, ...lines, ''].join('\n');
}

describe('ipmitool', needs('ipmitool'), () => {
  it('chassis status shows the restore policy and the cause of the last power on', async () => {
    const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;
    bmc.machine.policy = 'Previous';
    bmc.machine.log.append({ kind: 'PowerAction', action: 'On', outcome: 'Accepted', requester });
    const lines = [
      'System Power         : on',
      'Power Overload       : false',
      'Power Interlock      : inactive',
      'Main Power Fault     : false',
      'Power Control Fault  : false',
      'Power Restore Policy : previous',
      'Last Power Event     : command',
      'Chassis Intrusion    : inactive',
      'Front-Panel Lockout  : inactive',
      'Drive Fault          : false',
      'Cooling/Fan Fault    : false',
      'Front Panel Control  : none',
      '',
    ];
    await each({
      'chassis status': lines.join('\n'),
      'chassis restart_cause': 'System restart cause: chassis power control command\n',
    });
  });

  it('chassis policy accepts the policy of the spec, and no other', async () => {
    bmc.machine.policy = 'AlwaysOn';
    await each({
      'chassis policy list': 'Supported chassis power policy:  always-on \n',
      'chassis policy always-on': 'Set chassis power restore policy to always-on\n',
    });
    const refusal = refused('Power Restore Policy command failed: Invalid data field in request\n');
    expect(await ipmitool('chassis policy always-off')).toEqual(refusal);
    expect(await ipmitool('chassis policy previous')).toEqual(refusal);
  });

  it('chassis poh', async () => {
    await each({ 'chassis poh': 'POH Counter  : 0 days, 0 hours, 0 minutes\n' });
    bmc.machine.poweredOn = Date.now() - 26 * 60 * MINUTE - MINUTE;
    await each({ 'chassis poh': 'POH Counter  : 1 days, 2 hours, 1 minutes\n' });
  });

  it('chassis identify, with a persistent state', async () => {
    const state = async (): Promise<string | undefined> => (await ipmitool('raw 0 1')).stdout.split(' ')[3];
    await each({ 'chassis identify': 'Chassis identify interval: default (15 seconds)\n' });
    expect(await state()).toBe('50');
    await each({ 'chassis identify force': 'Chassis identify interval: indefinite\n' });
    expect(await state()).toBe('60');
    await each({ 'chassis identify 0': 'Chassis identify interval: off\n' });
    expect(await state()).toBe('40');
  });

  it('chassis bootparam get of every parameter', async () => {
    const zeros = (count: number): string => '00'.repeat(count);
    await each({
      'chassis bootparam get 0': bootParameter(0, '00', ' Set In Progress : set complete'),
      'chassis bootparam get 1': bootParameter(1, '00', ' Service Partition Selector : unspecified'),
      'chassis bootparam get 2': bootParameter(2, '00', ' Service Partition Scan :', '     No flag set'),
      'chassis bootparam get 3': bootParameter(3, '00', ' BMC boot flag valid bit clearing :', '     No flag set'),
      'raw 0 8 4 1 1': '\n',
      'chassis bootparam get 4': bootParameter(
        4,
        '0001',
        ' Boot Info Acknowledge :',
        '    - BIOS/POST has handled boot info',
      ),
      'chassis bootparam get 6': bootParameter(
        6,
        zeros(9),
        ' Boot Initiator Info :',
        '    Channel Number : 0',
        '    Session Id     : 00000000h',
        '    Timestamp      : S+ 00:00:00',
      ),
      'chassis bootparam get 7': bootParameter(
        7,
        zeros(17),
        ' Selector       : 0',
        ' IANA PEN       : 0 [Unknown]',
        ` Block Data     : ${zeros(13)}`,
      ),
    });
    const unsupported = await ipmitool('raw 0 9 8 0 0');
    expect(unsupported).toMatchObject({ code: 1, stdout: '' });
    expect(unsupported.stderr).toContain('rsp=0x80)');
  });

  it('chassis bootmbox stores a text over several blocks, up to 256 bytes', async () => {
    const text = 'http://boot.example/a-path-that-is-longer-than-a-block';
    expect(await ipmitool(`chassis bootmbox set text 674 ${text}`)).toMatchObject({ code: 0, stderr: '' });
    const read = await ipmitool('chassis bootmbox get text');
    expect(read).toMatchObject({ code: 0, stderr: '' });
    expect(read.stdout).toContain(' IANA PEN       : 674 ');
    expect([...read.stdout.matchAll(/Block +\d+ Data : '(.*)'/g)].map(([, part]) => part).join('')).toBe(text);
    expect((await ipmitool('raw 0 9 7 16 0')).stderr).toContain('rsp=0xc9)');
  });

  it.each([
    ['chassis bootdev pxe options=efiboot,persistent', 'Set Boot Device to pxe\n', ' 01 05 e0 04 00 00 00\n'],
    ['chassis bootdev disk clear-cmos=yes', 'Set Boot Device to disk\n', ' 01 05 80 88 00 00 00\n'],
    ['chassis bootdev none', 'Set Boot Device to none\n', ' 01 05 80 00 00 00 00\n'],
    // As sent by Ironic and pyghmi.
    ['raw 0x00 0x08 0x05 0xe0 0x04 0x00 0x00 0x00', '\n', ' 01 05 e0 04 00 00 00\n'],
    ['raw 0 8 5 0xc0 4 0x12 0x34 0x12', '\n', ' 01 05 c0 04 12 34 12\n'],
  ])('%s reads back as written', async (command, stdout, flags) => {
    await each({ [command]: stdout, 'raw 0 9 5 0 0': flags });
  });

  it.each(['safe', 'diag', 'floppy'])('chassis bootdev %s is refused, and changes nothing', async (device) => {
    const refusal = 'Set Chassis Boot Parameter 5 failed: Invalid data field in request\n';
    expect(await ipmitool(`chassis bootdev ${device}`)).toMatchObject({ stdout: '', stderr: refusal });
    expect(bmc.machine.calls).toEqual([]);
  });

  it('raw boot flags as Ironic sends them, without a timeout', async () => {
    await each({ 'raw 0x00 0x08 0x03 0x08': '\n', 'raw 0x00 0x08 0x05 0xa0 0x04 0x00 0x00 0x00': '\n' });
    expect(bmc.machine.calls).toEqual([expect.not.objectContaining({ lapseAfter: expect.anything() as number })]);
    expect(bmc.machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Once', firmware: 'UEFI' });
  });

  it('mc reset cold ends sessions and the identify light, and does not affect the machine', async () => {
    await ipmitool('chassis identify force');
    await each({ 'mc reset cold': 'Sent cold reset command to MC\n' });
    expect((await ipmitool('raw 0 1')).stdout.split(' ')[3]).toBe('40');
    await each({ 'mc reset warm': 'Sent warm reset command to MC\n', 'raw 6 7': ' 00 00\n' });
    expect(bmc.machine.calls).toEqual([]);
  });

  it('mc watchdog, from its initial state to its timeout, which resets the machine', async () => {
    const shown = (...lines: string[]): string => [...lines, ''].join('\n');
    expect(await ipmitool('mc watchdog reset')).toEqual(
      refused('Reset Watchdog Timer command failed: Attempt to reset uninitialized watchdog\n'),
    );
    // ipmitool prints this to standard error.
    expect(await ipmitool('mc watchdog set timeout=2 action=reset use=sms')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Watchdog Timer was successfully configured\n',
    });
    await each({
      'mc watchdog get': shown(
        'Watchdog Timer Use:     SMS/OS (0x04)',
        'Watchdog Timer Is:      Stopped',
        'Watchdog Timer Logging: On',
        'Watchdog Timer Action:  Hard Reset (0x01)',
        'Pre-timeout interrupt:  None',
        'Pre-timeout interval:   0 seconds',
        'Timer Expiration Flags: None (0x00)',
        'Initial Countdown:      2.0 sec',
        'Present Countdown:      2.0 sec',
      ),
      'mc watchdog reset': 'IPMI Watchdog Timer Reset -  countdown restarted!\n',
    });
    await expect.poll(() => bmc.machine.powerActions, { timeout: 10_000 }).toEqual(['ForceRestart']);
    const after = await ipmitool('mc watchdog get');
    expect(after.stdout).toMatch(/^Watchdog Timer Is: +Stopped$/m);
    expect(after.stdout).toMatch(/^Timer Expiration Flags: \(0x10\)\n +\* SMS\/OS$/m);
    await each({ 'mc watchdog off': 'Watchdog Timer Shutoff successful -- timer stopped\n' });
  });

  it('mc getsysinfo and setsysinfo', async () => {
    const operatingSystem = { name: 'Debian GNU/Linux', version: '13 (trixie)' };
    bmc.machine.parts = { ...bmc.machine.parts, operatingSystem };
    await each({
      'mc getsysinfo system_name': 'default/testvm\n',
      'mc getsysinfo primary_os_name': 'Debian GNU/Linux\n',
      'mc getsysinfo os_name': 'Debian GNU/Linux 13 (trixie)\n',
      'mc setsysinfo os_name a-name-that-is-longer-than-one-block': '',
    });
    await each({
      'mc getsysinfo os_name': 'a-name-that-is-longer-than-one-block\n',
    });
  });
});

describe('FreeIPMI', needs('ipmi-power'), () => {
  async function commit(program: string, ...settings: string[]): Promise<Outcome> {
    const section = ['Section Chassis_Boot_Flags', ...settings.map((setting) => `\t${setting}`), 'EndSection', ''];
    writeFileSync(join(folder, 'settings'), section.join('\n'));
    return await line(`${program} --commit --filename settings`);
  }

  it('ipmi-chassis-config as MAAS sends it', async () => {
    const program = 'ipmi-chassis-config -W opensesspriv --driver-type LAN_2_0 -h $H:$P -u $U -p $W -I 3 -l OPERATOR';
    const settings = ['Boot_Flags_Persistent No', 'BIOS_Boot_Type EFI', 'Boot_Device PXE'];
    expect(await commit(program, ...settings)).toEqual(said(''));
    expect(bmc.machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Once', firmware: 'UEFI' });
    const { stdout, ...rest } = await line('ipmi-chassis-config $F --checkout -S Chassis_Boot_Flags');
    expect(rest).toEqual({ code: 0, stderr: '' });
    for (const setting of [...settings, 'Device_Instance_Selector None', 'CMOS_Clear No']) {
      expect(stdout).toMatch(new RegExp(`^\\t${setting.replace(' ', ' +')}$`, 'm'));
    }
  });

  it.each(['Internal', 'External'])('ipmi-chassis-config selects the second (%s) interface', async (place) => {
    const settings = ['Boot_Flags_Persistent Yes', 'Boot_Device PXE', `Device_Instance_Selector ${place}-2`];
    expect(await commit('ipmi-chassis-config $F', ...settings)).toEqual(said(''));
    expect(bmc.machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Continuous', instance: 2 });
    const { stdout } = await line('ipmi-chassis-config $F --checkout -S Chassis_Boot_Flags');
    expect(stdout).toMatch(new RegExp(`Device_Instance_Selector +${place}-2$`, 'm'));
  });

  it('ipmi-chassis reads and sets', async () => {
    bmc.machine.poweredOn = Date.now() - 90 * MINUTE;
    const answers: Record<string, string> = {
      '--chassis-identify=30': '',
      '--get-system-restart-cause': 'Restart cause : unknown\n',
      '--get-power-on-hours-counter': 'Power on hours : 1 Hours 30 Minutes\n',
      '--set-power-cycle-interval=0': '',
    };
    for (const [option, stdout] of Object.entries(answers)) {
      expect(await line(`ipmi-chassis $F ${option}`), option).toEqual(said(stdout));
    }
    const status = (await line('ipmi-chassis $F --get-chassis-status')).stdout;
    expect(status).toMatch(/^Chassis Identify state +: Timed on$/m);
    expect(status).toMatch(/^Power off button disable +: unallowed$/m);
  });

  it('bmc-device and bmc-info', async () => {
    const answers: Record<string, string> = {
      'bmc-device $F --get-acpi-power-state': 'ACPI System Power State : S0/G0\nACPI Device Power State : D0\n',
      'bmc-device $F --set-acpi-power-state --set-acpi-system-power-state=S0_G0': '',
      'bmc-device $F --cold-reset': '',
      'bmc-device $F --warm-reset': '',
      'bmc-info $F --get-device-guid': `${DEVICE_GUID}\n`,
    };
    for (const [command, stdout] of Object.entries(answers)) expect(await line(command), command).toEqual(said(stdout));
    expect((await line('bmc-info $F --get-system-info')).stdout).toMatch(/^System Name +: default\/testvm$/m);
  });
});

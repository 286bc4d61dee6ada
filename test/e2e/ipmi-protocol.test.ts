import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IpmiServer, IpmiUdpEndpoint, type LoginFailure } from '../../src/protocols/ipmi/index.ts';
import { MemoryAccounts, MemoryMachine, MemorySettings } from '../../src/protocols/testing/index.ts';
import { findTool } from '../tools/index.ts';

/** What real clients see of the protocol alone: a BMC with a machine in memory, without a cluster. */

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

const USERNAME = 'admin';
const PASSWORD = 'password';

let machine: MemoryMachine;
let endpoint: IpmiUdpEndpoint;
let failures: LoginFailure[];
let errors: unknown[];

beforeEach(async () => {
  machine = new MemoryMachine({ state: 'On' });
  failures = [];
  errors = [];
  const server = new IpmiServer({
    machine,
    accounts: new MemoryAccounts({ username: USERNAME, password: PASSWORD }),
    settings: new MemorySettings(),
    time: Date.now,
    random: randomBytes,
    deviceInfo: { firmware: { major: 1, minor: 23 } },
    cipherSuites: [17, 3],
    observer: {
      loginFailed: (_login, reason) => void failures.push(reason),
      failed: (error) => void errors.push(error),
    },
  });
  const onError = (error: Error): void => void errors.push(error);
  endpoint = new IpmiUdpEndpoint({ server, addresses: ['127.0.0.1'], port: 0, now: () => performance.now(), onError });
  await endpoint.start();
});

afterEach(async () => {
  await endpoint.close();
  expect(errors).toEqual([]);
});

async function run(program: string, args: readonly string[]): Promise<Answer> {
  return await new Promise((resolve) => {
    execFile(program, args, { timeout: 30_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}

function said(stdout: string): Answer {
  return { code: 0, stdout, stderr: '' };
}

const IPMITOOL = findTool('ipmitool');

describe.skipIf(IPMITOOL === undefined)('ipmitool', () => {
  async function ipmitool(command: string, username = USERNAME, password = PASSWORD): Promise<Answer> {
    const bmc = ['-I', 'lanplus', '-H', '127.0.0.1', '-p', String(endpoint.port), '-U', username, '-P', password];
    return await run(IPMITOOL ?? '', [...bmc, ...command.split(' ')]);
  }

  it.each(['', '-C 3 ', '-C 17 ', '-L OPERATOR ', '-L USER '])('%sreads the power state', async (flags) => {
    expect(await ipmitool(`${flags}chassis power status`)).toEqual(said('Chassis Power is on\n'));
    machine.state = 'Off';
    expect(await ipmitool(`${flags}chassis power status`)).toEqual(said('Chassis Power is off\n'));
  });

  it.each([
    ['on', 'Up/On', 'On'],
    ['off', 'Down/Off', 'ForceOff'],
    ['cycle', 'Cycle', 'PowerCycle'],
    ['reset', 'Reset', 'ForceRestart'],
    ['diag', 'Diag', 'DiagnosticInterrupt'],
    ['soft', 'Soft', 'GracefulShutdown'],
  ])('chassis power %s says %s and asks once for %s', async (word, spoken, action) => {
    expect(await ipmitool(`chassis power ${word}`)).toEqual(said(`Chassis Power Control: ${spoken}\n`));
    expect(machine.powerActions).toEqual([action]);
  });

  it('cannot cycle a machine that is off', async () => {
    machine.state = 'Off';
    expect(await ipmitool('chassis power cycle')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Set Chassis Power Control to Cycle failed: Command not supported in present state\n',
    });
  });

  it('may not switch with user privilege', async () => {
    expect(await ipmitool('-L USER power on')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Set Chassis Power Control to Up/On failed: Insufficient privilege level\n',
    });
    expect(machine.calls).toEqual([]);
  });

  it('prints the chassis status', async () => {
    const lines = [
      'System Power         : on',
      'Power Overload       : false',
      'Power Interlock      : inactive',
      'Main Power Fault     : false',
      'Power Control Fault  : false',
      'Power Restore Policy : unknown',
      'Last Power Event     : ',
      'Chassis Intrusion    : inactive',
      'Front-Panel Lockout  : inactive',
      'Drive Fault          : false',
      'Cooling/Fan Fault    : false',
      'Front Panel Control  : none',
    ];
    expect(await ipmitool('chassis status')).toEqual(said(lines.map((line) => `${line}\n`).join('')));
  });

  it.each([
    ['pxe', '8004000000', 'Force PXE', { device: 'Pxe', persistence: 'Once' }],
    ['disk', '8008000000', 'Force Boot from default Hard-Drive', { device: 'Hdd', persistence: 'Once' }],
    ['cdrom', '8014000000', 'Force Boot from CD/DVD', { device: 'Cd', persistence: 'Once' }],
    ['bios', '8018000000', 'Force Boot into BIOS Setup', { device: 'BiosSetup', persistence: 'Once' }],
    ['none', '8000000000', 'No override', undefined],
  ])('chassis bootdev %s', async (word, flags, spoken, override) => {
    expect(await ipmitool(`chassis bootdev ${word}`)).toEqual(said(`Set Boot Device to ${word}\n`));
    expect(machine.bootOverride()).toEqual(override);
    const answer = await ipmitool('chassis bootparam get 5');
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect(answer.stdout).toBe(bootFlagsText(flags, 'only next boot', 'PC Compatible (legacy)', spoken));
  });

  it('chassis bootdev pxe options=efiboot,persistent', async () => {
    expect(await ipmitool('chassis bootdev pxe options=efiboot,persistent')).toEqual(said('Set Boot Device to pxe\n'));
    expect(machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Continuous', firmware: 'UEFI' });
    expect(await ipmitool('raw 0 9 5 0 0')).toEqual(said(' 01 05 e0 04 00 00 00\n'));
    const { stdout } = await ipmitool('chassis bootparam get 5');
    expect(stdout).toBe(bootFlagsText('e004000000', 'all future boots', 'EFI', 'Force PXE'));
  });

  it('chassis bootdev disk clear-cmos=yes', async () => {
    expect(await ipmitool('chassis bootdev disk clear-cmos=yes')).toEqual(said('Set Boot Device to disk\n'));
    const { stdout } = await ipmitool('chassis bootparam get 5');
    expect(stdout).toContain('Boot parameter data: 8088000000\n');
    expect(stdout).toContain('   - CMOS Clear\n');
  });

  it('shows no override once it is used up', async () => {
    await ipmitool('chassis bootdev pxe');
    await ipmitool('chassis power reset');
    const { stdout } = await ipmitool('chassis bootparam get 5');
    expect(stdout).toContain('Boot parameter data: 0000000000\n');
    expect(stdout).toContain('   - Boot Device Selector : No override\n');
  });

  it('says that there is no floppy, and leaves the override', async () => {
    await ipmitool('chassis bootdev pxe');
    expect(await ipmitool('chassis bootdev floppy')).toMatchObject({
      stderr: 'Set Chassis Boot Parameter 5 failed: Invalid data field in request\n',
    });
    expect(machine.bootOverride()?.device).toBe('Pxe');
  });

  it('sets what Ironic sends by number', async () => {
    expect(await ipmitool('raw 0x00 0x08 0x03 0x08')).toEqual(said('\n'));
    expect(await ipmitool('raw 0x00 0x08 0x05 0xe0 0x04 0x00 0x00 0x00')).toEqual(said('\n'));
    expect(machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Continuous', firmware: 'UEFI' });
  });

  it('prints what the BMC is', async () => {
    const lines = [
      'Device ID                 : 32',
      'Device Revision           : 1',
      'Firmware Revision         : 1.23',
      'IPMI Version              : 2.0',
      'Manufacturer ID           : 0',
      'Manufacturer Name         : Unknown',
      'Product ID                : 0 (0x0000)',
      'Product Name              : Unknown (0x00)',
      'Device Available          : yes',
      'Provides Device SDRs      : no',
      'Additional Device Support :',
      '    Chassis Device',
      'Aux Firmware Rev Info     : ',
      ...Array<string>(4).fill('    0x00'),
    ];
    expect(await ipmitool('mc info')).toEqual(said(lines.map((line) => `${line}\n`).join('')));
  });

  it('prints the GUID of the machine without a warning', async () => {
    const answer = await ipmitool('mc guid');
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect(answer.stdout).toContain('System GUID   : 5d307ca9-b3ef-428c-8861-06e72d69f223\nGUID Encoding : IPMI\n');
  });

  it('mc selftest, session info and channel getciphers', async () => {
    expect(await ipmitool('mc selftest')).toEqual(said('Selftest: passed\n'));
    const session = await ipmitool('session info active');
    expect(session).toMatchObject({ code: 0, stderr: '' });
    expect(session.stdout.match(/^session handle +: 1$/gm)).toHaveLength(1);
    const ciphers = await ipmitool('channel getciphers ipmi 1');
    expect(ciphers.stdout).toMatch(/^3 .*hmac_sha1 .*\n17 .*hmac_sha256 .*\n$/m);
  });

  it.each(['0', '1', '2', '8', '15'])('cannot use cipher suite %s', async (suite) => {
    expect(await ipmitool(`-C ${suite} chassis power status`)).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'Error in open session response message : no matching cipher suite',
        '',
        'Error: Unable to establish IPMI v2 / RMCP+ session',
        '',
      ].join('\n'),
    });
  });

  it.each([
    ['a wrong password', USERNAME, 'wrong', 'WrongPassword'],
    ['an unknown user', 'nobody', PASSWORD, 'UnknownUser'],
    ['no user', '', PASSWORD, 'UnknownUser'],
  ])('is not let in with %s', async (_name, username, password, reason) => {
    expect(await ipmitool('chassis power status', username, password)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error: Unable to establish IPMI v2 / RMCP+ session\n',
    });
    // ipmitool falls silent at a wrong password, which the BMC takes for one when the handshake's 5 s are over.
    await expect.poll(() => failures, { timeout: 10_000 }).toEqual([reason]);
  });

  it('is not let in with IPMI 1.5', async () => {
    const answer = await ipmitool('-I lan chassis power status');
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toContain('Authentication type NONE not supported');
  });
});

const FREEIPMI = findTool('ipmi-power');

describe.skipIf(FREEIPMI === undefined)('FreeIPMI', () => {
  async function freeipmi(program: string, command: string, username = USERNAME, password = PASSWORD): Promise<Answer> {
    const bmc = ['-D', 'LAN_2_0', '-h', `127.0.0.1:${endpoint.port}`, '-u', username, '-p', password];
    return await run(join(dirname(FREEIPMI ?? ''), program), [...bmc, ...command.split(' ').filter(Boolean)]);
  }

  it.each(['--stat', '-I 3 --stat', '-I 17 --stat', '-W opensesspriv --stat', '-l OPERATOR --stat', '-l USER --stat'])(
    'ipmipower %s',
    async (command) => {
      expect(await freeipmi('ipmipower', command)).toEqual(said('127.0.0.1: on\n'));
    },
  );

  it('ipmipower switches', async () => {
    for (const action of ['--off', '--on', '--cycle', '--reset', '--soft']) {
      expect(await freeipmi('ipmipower', action), action).toEqual(said('127.0.0.1: ok\n'));
    }
    expect(await freeipmi('ipmipower', '--stat')).toEqual(said('127.0.0.1: off\n'));
    expect(await freeipmi('ipmipower', '--cycle --on-if-off')).toEqual(said('127.0.0.1: ok\n'));
    expect(await freeipmi('ipmipower', '--stat')).toEqual(said('127.0.0.1: on\n'));
  });

  it.each([
    ['username invalid', 'nobody', PASSWORD, '--stat'],
    ['password invalid', USERNAME, 'wrong', '--stat'],
    ['k_g invalid', USERNAME, PASSWORD, '-k key --stat'],
    ['cipher suite id unavailable', USERNAME, PASSWORD, '-I 0 --stat'],
    ['cipher suite id unavailable', USERNAME, PASSWORD, '-I 8 --stat'],
  ])('ipmipower says "%s"', async (message, username, password, command) => {
    const answer = await freeipmi('ipmipower', command, username, password);
    expect(`${answer.stdout}${answer.stderr}`).toBe(`127.0.0.1: ${message}\n`);
  });

  it('bmc-info', async () => {
    const answer = await freeipmi('bmc-info', '');
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect(answer.stdout).toContain('IPMI Version          : 2.0\n');
    expect(answer.stdout).toContain('System GUID : 5d307ca9-b3ef-428c-8861-06e72d69f223\n');
  });

  it('ipmi-chassis --get-chassis-status', async () => {
    const answer = await freeipmi('ipmi-chassis', '--get-chassis-status');
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect(answer.stdout).toMatch(/^System Power +: on$/m);
    expect(answer.stdout).toMatch(/^Power restore policy +: unknown$/m);
  });

  it('ipmi-chassis-config, as MAAS uses it', async () => {
    const pairs = ['Boot_Flags_Persistent=No', 'BIOS_Boot_Type=EFI', 'Boot_Device=PXE'];
    const edits = pairs.map((pair) => `-e Chassis_Boot_Flags:${pair}`).join(' ');
    const answer = await freeipmi('ipmi-chassis-config', `-W opensesspriv -I 3 -l OPERATOR --commit ${edits}`);
    expect(answer).toEqual(said(''));
    expect(machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Once', firmware: 'UEFI' });
  });
});

function bootFlagsText(flags: string, boots: string, firmware: string, device: string): string {
  return [
    'Boot parameter version: 1',
    'Boot parameter 5 is valid/unlocked',
    `Boot parameter data: ${flags}`,
    ' Boot Flags :',
    '   - Boot Flag Valid',
    `   - Options apply to ${boots}`,
    `   - BIOS ${firmware} boot `,
    `   - Boot Device Selector : ${device}`,
    '   - BIOS verbosity : System Default',
    '   - Console Redirection control : Console redirection occurs per BIOS configuration setting (default)',
    '   - BIOS Mux Control Override : BIOS uses recommended setting of the mux at the end of POST',
    '',
  ].join('\n');
}

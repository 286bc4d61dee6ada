import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needs, needsRoot } from '../../tools/index.ts';
import { runLine, type Outcome } from './runner/run-line.ts';
import { startMemoryBmc, type MemoryBmc, type MemoryBmcOptions } from './runner/memory-bmc.ts';

/**
 * Behaviour of the BMC with real clients that needs a machine in a certain state or other settings: a BMC with an
 * in-memory machine, without a cluster. All other behaviour is in the table of `ipmi/clients.test.ts`.
 */

const CLIENTS = ['ipmitool', 'ipmi-power'] as const;
const DEVICE_GUID = '00010203-0405-0607-0809-0a0b0c0d0e0f';
const MINUTE = 60_000;
/** ms */
const TIMEOUT = 30_000;

describe('real clients at a BMC with an in-memory machine', needs(...CLIENTS), () => {
  let folder: string;
  let bmc: MemoryBmc;

  async function start(options: MemoryBmcOptions = {}): Promise<void> {
    await bmc.close();
    bmc = await startMemoryBmc(options);
  }

  async function run(command: string): Promise<Outcome> {
    return await runLine(command, bmc.endpoint, { folder, timeout: TIMEOUT });
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-protocol-'));
    bmc = await startMemoryBmc();
  });

  afterEach(async () => {
    await bmc.close();
    rmSync(folder, { recursive: true });
    expect(bmc.errors).toEqual([]);
  });

  it('prints the chassis status and the power-on hours', async () => {
    bmc.machine.policy = 'Previous';
    bmc.machine.poweredOn = Date.now() - 90 * MINUTE;
    const { stdout } = await run('ipmitool $L chassis status');
    expect(stdout).toMatch(/^Power Restore Policy : previous$/m);
    expect(await run('ipmitool $L chassis poh')).toEqual(said('POH Counter  : 0 days, 1 hours, 30 minutes\n'));
    const hours = 'Power on hours : 1 Hours 30 Minutes\n';
    expect(await run('ipmi-chassis $F --get-power-on-hours-counter')).toEqual(said(hours));
  });

  it('stores a text of several blocks in the boot initiator mailbox', async () => {
    const text = 'http://boot.example/a-path-that-is-longer-than-a-block';
    expect(await run(`ipmitool $L chassis bootmbox set text 674 ${text}`)).toMatchObject({ code: 0, stderr: '' });
    const read = await run('ipmitool $L chassis bootmbox get text');
    expect(read).toMatchObject({ code: 0, stderr: '' });
    expect(read.stdout).toContain(' IANA PEN       : 674 ');
    expect([...read.stdout.matchAll(/Block +\d+ Data : '(.*)'/g)].map(([, part]) => part).join('')).toBe(text);
  });

  it.each(['Internal', 'External'])('boots from the second (%s) interface', async (place) => {
    const settings = ['Boot_Flags_Persistent=Yes', 'Boot_Device=PXE', `Device_Instance_Selector=${place}-2`];
    const pairs = settings.map((setting) => `-e Chassis_Boot_Flags:${setting}`).join(' ');
    expect(await run(`ipmi-chassis-config $F --commit ${pairs}`)).toEqual(said(''));
    expect(bmc.machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Continuous', instance: 2 });
    const { stdout } = await run('ipmi-chassis-config $F --checkout -S Chassis_Boot_Flags');
    expect(stdout).toMatch(new RegExp(`Device_Instance_Selector +${place}-2$`, 'm'));
  });

  it('shows the watchdog before and after its timeout, which resets the machine', async () => {
    // ipmitool prints this to standard error.
    expect(await run('ipmitool $L mc watchdog set timeout=2 action=reset use=sms')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Watchdog Timer was successfully configured\n',
    });
    const lines = [
      'Watchdog Timer Use:     SMS/OS (0x04)',
      'Watchdog Timer Is:      Stopped',
      'Watchdog Timer Logging: On',
      'Watchdog Timer Action:  Hard Reset (0x01)',
      'Pre-timeout interrupt:  None',
      'Pre-timeout interval:   0 seconds',
      'Timer Expiration Flags: None (0x00)',
      'Initial Countdown:      2.0 sec',
      'Present Countdown:      2.0 sec',
      '',
    ];
    expect(await run('ipmitool $L mc watchdog get')).toEqual(said(lines.join('\n')));
    expect(await run('ipmitool $L mc watchdog reset')).toMatchObject({ code: 0 });
    await expect.poll(() => bmc.machine.powerActions, { timeout: 10_000 }).toEqual(['ForceRestart']);
    const after = await run('ipmitool $L mc watchdog get');
    expect(after.stdout).toMatch(/^Watchdog Timer Is: +Stopped$/m);
    expect(after.stdout).toMatch(/^Timer Expiration Flags: \(0x10\)\n +\* SMS\/OS$/m);
  });

  it('cannot reset a machine that is off', async () => {
    bmc.machine.state = 'Off';
    const { code, stderr } = await run('ipmitool $L chassis power reset');
    expect(code).toBe(1);
    expect(stderr).toMatch(/failed: Command not supported in present state\n$/);
    expect(bmc.machine.state).toBe('Off');
  });

  it('prints the GUIDs of machine and BMC with their bytes in the order that clients expect', async () => {
    await start({ deviceGuid: DEVICE_GUID });
    expect(await run('bmc-info $F --get-device-guid')).toEqual(said(`${DEVICE_GUID}\n`));
    expect((await run('ipmitool $L mc guid')).stdout).toContain(
      'System GUID   : 5d307ca9-b3ef-428c-8861-06e72d69f223\n',
    );
    expect((await run('bmc-info $F')).stdout).toContain('System GUID : 5d307ca9-b3ef-428c-8861-06e72d69f223\n');
  });

  it('accepts only clients with K_G if it is set', async () => {
    await start({ bmcKey: () => Buffer.from('key') });
    expect(await run('ipmitool $L -k key chassis power status')).toEqual(said('Chassis Power is on\n'));
    expect(await run('ipmipower $F -k key --stat')).toEqual(said('127.0.0.1: on\n'));
    expect(await run('ipmipower $F --stat')).toMatchObject({ stdout: '127.0.0.1: k_g invalid\n' });
  });

  // They support only port 623, which needs root.
  it('answers rmcpping and ipmiping', needsRoot(), async () => {
    await start({ host: '127.0.0.62', port: 623 });
    expect(await run('rmcpping -c 1 $H')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 pings transmitted, 1 pongs received') as string,
    });
    expect(await run('ipmiping -c 1 $H')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 requests transmitted, 1 responses received') as string,
    });
  });
});

function said(stdout: string): Outcome {
  return { code: 0, stdout, stderr: '' };
}

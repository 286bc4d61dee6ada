import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needs, needsRoot } from '../../tools/index.ts';
import { runLine, type Outcome } from './runner/run-line.ts';
import { startMemoryBmc, type MemoryBmc, type MemoryBmcOptions } from './runner/memory-bmc.ts';

/**
 * Protocol behaviour with real clients that a KubeVirt VM cannot produce: a BMC with an in-memory machine, without a
 * cluster. All other behaviour is in the table of `ipmi/clients.test.ts`.
 */

const CLIENTS = ['ipmitool', 'ipmi-power'] as const;
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

  it.each([
    ['on', 'Up/On', 'On'],
    ['off', 'Down/Off', 'ForceOff'],
    ['cycle', 'Cycle', 'PowerCycle'],
    ['reset', 'Reset', 'ForceRestart'],
    ['diag', 'Diag', 'DiagnosticInterrupt'],
    ['soft', 'Soft', 'GracefulShutdown'],
  ])('chassis power %s prints %s and requests %s once', async (word, spoken, action) => {
    expect(await run(`ipmitool $L chassis power ${word}`)).toEqual(said(`Chassis Power Control: ${spoken}\n`));
    expect(bmc.machine.powerActions).toEqual([action]);
  });

  it.each(['cycle', 'reset'])('cannot %s a machine that is off', async (word) => {
    bmc.machine.state = 'Off';
    const { code, stderr } = await run(`ipmitool $L chassis power ${word}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/failed: Command not supported in present state\n$/);
    expect(bmc.machine.state).toBe('Off');
  });

  it('requests no action of the machine for a user without the privilege', async () => {
    expect((await run('ipmitool $L -L USER power on')).code).toBe(1);
    expect(bmc.machine.calls).toEqual([]);
  });

  it.each([
    ['cdrom', 'Cd', 'Force Boot from CD/DVD'],
    ['bios', 'BiosSetup', 'Force Boot into BIOS Setup'],
  ])('chassis bootdev %s', async (word, device, spoken) => {
    expect(await run(`ipmitool $L chassis bootdev ${word}`)).toEqual(said(`Set Boot Device to ${word}\n`));
    expect(bmc.machine.bootOverride()).toEqual({ device, persistence: 'Once' });
    expect((await run('ipmitool $L chassis bootparam get 5')).stdout).toContain(`Boot Device Selector : ${spoken}`);
  });

  it('prints the GUID of the machine with its bytes in the order that clients expect', async () => {
    expect((await run('ipmitool $L mc guid')).stdout).toContain(
      'System GUID   : 5d307ca9-b3ef-428c-8861-06e72d69f223\n',
    );
    expect((await run('bmc-info $F')).stdout).toContain('System GUID : 5d307ca9-b3ef-428c-8861-06e72d69f223\n');
  });

  it.each([
    ['the event log', '0x0a 0x42', '0x0a 0x47 1 0 0x43 0x4c 0x52 0xaa'],
    ['the sensor records', '0x0a 0x22', '0x0a 0x23 1 0 1 0 5 2'],
  ])('keeps a reservation of %s until a reset of the BMC', async (_name, reserve, use) => {
    expect(await run(`ipmitool $L raw ${reserve}`)).toEqual(said(' 01 00\n'));
    expect(await run('ipmitool $L mc reset warm')).toMatchObject({ code: 0 });
    expect(await run(`ipmitool $L raw ${use}`)).toMatchObject({ code: 0 });
    expect(await run(`ipmitool $L raw ${reserve}`)).toEqual(said(' 02 00\n'));
    expect(await run('ipmitool $L mc reset cold')).toMatchObject({ code: 0 });
    const refused = await run(`ipmitool $L raw ${use.replace(' 1 0 ', ' 2 0 ')}`);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('rsp=0xc5): Reservation cancelled or invalid');
  });

  it.each([
    ['a wrong password', '-U $U -P wrong', 'WrongPassword'],
    ['an unknown user', '-U nobody -P $W', 'UnknownUser'],
    ['no user', `-U '' -P $W`, 'UnknownUser'],
  ])('reports %s once', async (_name, login, reason) => {
    const line = `ipmitool -I lanplus -H $H -p $P ${login} chassis power status`;
    expect(await run(line)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error: Unable to establish IPMI v2 / RMCP+ session\n',
    });
    // ipmitool stops answering after a wrong password; the BMC counts a failed log-in after the handshake timeout of 5
    // s.
    await expect.poll(() => bmc.failures, { timeout: 10_000 }).toEqual([reason]);
  });

  it('accepts only clients with K_G if it is set', async () => {
    await start({ bmcKey: () => Buffer.from('key') });
    expect(await run('ipmitool $L -k key chassis power status')).toEqual(said('Chassis Power is on\n'));
    expect(await run('ipmipower $F -k key --stat')).toEqual(said('127.0.0.1: on\n'));
    expect(await run('ipmipower $F --stat')).toMatchObject({ stdout: '127.0.0.1: k_g invalid\n' });
  });

  it('supports IPMI 1.5 if it is enabled', async () => {
    await start({ ipmi15: true });
    const login = '-H $H -p $P -U $U -P $W';
    expect(await run(`ipmitool -I lan -A MD5 ${login} chassis power status`)).toEqual(said('Chassis Power is on\n'));
    expect(await run(`ipmitool -I lan ${login} chassis power status`)).toEqual(said('Chassis Power is on\n'));
    expect(await run('ipmipower -D LAN -h $H:$P -u $U -p $W --stat')).toEqual(said('127.0.0.1: on\n'));
    const refused = await run(`ipmitool -I lan -A NONE ${login} chassis power status`);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('Authentication type NONE not supported');
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

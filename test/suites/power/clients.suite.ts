import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateSecretName, type RunStrategy } from '../../../api/index.ts';
import { SECRETS } from '@groundcrew/controller-runtime';
import { makeAuthority, makeServerCertificate } from '../../../manager/authority/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { ipmitool } from '../../harness/sandbox/ipmitool.ts';
import { findTool, needs } from '../../tools/index.ts';
import { TestAgent, untilState } from './test-agent.ts';
import { TestMachine } from './test-machine.ts';

const DAY = 86_400_000;
/** One that starts off and one that starts by itself; actions.suite.ts covers all. */
const STRATEGIES: RunStrategy[] = ['Manual', 'Always'];

const world = await cluster();
await world.standIns({ parts: ['kubevirt'] });
const namespace = await world.namespace();

/** Real clients with an agent that uses its own token: their requests reach KubeVirt. */
describe.each(STRATEGIES)('a VM with run strategy %s', { concurrent: true }, (strategy) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-clients-'));
  const bundle = join(folder, 'ca.crt');
  let machine: TestMachine;
  let agent: TestAgent;

  beforeAll(async () => {
    machine = await TestMachine.create(world, namespace, strategy.toLowerCase(), strategy);
    const authority = await makeAuthority({ name: 'test', lifetime: DAY, now: Date.now() });
    writeFileSync(bundle, authority.cert);
    const { cert, key } = await makeServerCertificate(authority, { names: ['bmc'], lifetime: DAY, now: Date.now() });
    const metadata = { namespace, name: certificateSecretName(machine.bmc.name) };
    const data = { 'tls.crt': base64(cert), 'tls.key': base64(key) };
    const secret = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data };
    await world.client.apply(SECRETS, secret, { force: true });
    agent = await TestAgent.start(world, { bmc: machine.bmc, redfish: true });
  });

  afterAll(async () => {
    await agent.close();
    rmSync(folder, { recursive: true });
  });

  const ipmi = (command: string): Promise<string> => chassisPower(agent, command);

  /** @returns the HTTP status */
  async function reset(ResetType: string): Promise<string> {
    const url = `https://bmc:${agent.redfishPort ?? 0}/redfish/v1/Systems/1/Actions/ComputerSystem.Reset`;
    const { stdout } = await promisify(execFile)(findTool('curl') ?? 'curl', [
      ...['--silent', '--output', '/dev/null', '--write-out', '%{http_code}', '--cacert', bundle],
      ...['--resolve', `bmc:${agent.redfishPort ?? 0}:127.0.0.1`, '--user', 'admin:secret'],
      ...['--header', 'Content-Type: application/json', '--data', JSON.stringify({ ResetType }), url],
    ]);
    return stdout;
  }

  it(
    'is controlled by ipmitool: on, soft, on, cycle, reset, off',
    { ...needs('ipmitool'), concurrent: false },
    async () => {
      expect(await ipmi('on')).toBe('Chassis Power Control: Up/On');
      const first = await machine.running();
      await eventually(async () => {
        expect(await ipmi('status')).toBe('Chassis Power is on');
      });
      expect(await ipmi('soft')).toBe('Chassis Power Control: Soft');
      await machine.off();
      expect(await ipmi('on')).toBe('Chassis Power Control: Up/On');
      const second = await machine.running(first);
      expect(await ipmi('cycle')).toBe('Chassis Power Control: Cycle');
      const third = await machine.running(second);
      expect(await ipmi('reset')).toBe('Chassis Power Control: Reset');
      expect((await machine.running()).metadata.uid).toBe(third.metadata.uid);
      expect(await ipmi('off')).toBe('Chassis Power Control: Down/Off');
      await machine.off();
      await eventually(async () => {
        expect(await ipmi('status')).toBe('Chassis Power is off');
      });
    },
  );

  it('is controlled by curl: each ResetType of Redfish', { ...needs('curl'), concurrent: false }, async () => {
    expect(await reset('On')).toBe('204');
    const first = await machine.running();
    expect(await reset('ForceRestart')).toBe('204');
    expect(await reset('GracefulRestart')).toBe('204');
    expect((await machine.running()).metadata.uid).toBe(first.metadata.uid);
    expect(await reset('PowerCycle')).toBe('204');
    const second = await machine.running(first);
    expect(await reset('GracefulShutdown')).toBe('204');
    await machine.off();
    expect(await reset('On')).toBe('204');
    await machine.running(second);
    expect(await reset('ForceOff')).toBe('204');
    await machine.off();
  });
});

describe('ipmitool that is told that a power off has timed out', { ...needs('ipmitool'), concurrent: true }, () => {
  it('does not power the machine off later', async () => {
    const machine = await TestMachine.create(world, namespace, 'hanging', 'Manual');
    const agent = await TestAgent.start(world, { bmc: machine.bmc });
    await chassisPower(agent, 'on');
    const first = await machine.running();
    await untilState(agent, 'On');
    agent.transport.hangs = (method, path) => method === 'PUT' || path.includes('/virtualmachines/');
    const asked = performance.now();
    await expect(chassisPower(agent, 'off')).rejects.toThrow('Set Chassis Power Control to Down/Off failed: Timeout');
    // ipmitool would wait 10 s for each answer: to the power off, and to Close Session.
    expect(performance.now() - asked).toBeLessThan(7_000);
    agent.transport.resume();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await machine.running()).metadata.uid).toBe(first.metadata.uid);
    await chassisPower(agent, 'off');
    await machine.off();
    await agent.close();
  });
});

async function chassisPower(agent: TestAgent, command: string): Promise<string> {
  const bmc = { ipmi: { host: '127.0.0.1', port: agent.ipmiPort ?? 0 }, username: 'admin', password: 'secret' };
  const { code, stdout, stderr } = await ipmitool(bmc, `chassis power ${command}`);
  if (code !== 0) throw new Error(`ipmitool chassis power ${command}: ${stderr}`);
  return stdout.trim();
}

function base64(pem: string): string {
  return Buffer.from(pem).toString('base64');
}

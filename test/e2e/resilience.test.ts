import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialsSecretName } from '../../api/index.ts';
import { SECRETS } from '@groundcrew/controller-runtime';
import { eventually } from '../harness/eventually.ts';
import {
  descendantsOf,
  ipmitool,
  isAlive,
  startSandbox,
  type ProcessIdentity,
  type Sandbox,
  type SandboxBmc,
} from '../harness/sandbox/index.ts';
import { needs } from '../tools/index.ts';

/** One datagram without retransmission: the test does the waiting. */
const ONE_TRY = ['-N', '1', '-R', '1'];

describe('a BMC with failures', needs('ipmitool'), () => {
  let sandbox: Sandbox;
  const bmc = (index: number): SandboxBmc => sandbox.bmcs[index] ?? expect.fail(`the sandbox has no BMC ${index}`);
  const agentOf = ({ name }: SandboxBmc): ProcessIdentity =>
    descendantsOf(sandbox.process.pid ?? 0).find(({ command }) => command.includes(`--bmc ${name} `)) ??
    expect.fail(`no agent of ${name} runs`);

  beforeAll(async () => {
    sandbox = await startSandbox({ vms: 3 });
  });
  afterAll(async () => {
    await sandbox.close();
  });

  it('is back within 5 s after its agent is killed, with the boot override intact', async () => {
    const target = bmc(0);
    await ipmitool(target, 'chassis bootdev pxe');
    const agent = agentOf(target);
    const killed = performance.now();
    process.kill(agent.pid, 'SIGKILL');
    await expect.poll(() => isAlive(agent)).toBe(false);

    const answer = await eventually(
      async () => {
        const attempt = await ipmitool(target, 'chassis bootparam get 5', { flags: ONE_TRY });
        expect(attempt.code).toBe(0);
        return attempt;
      },
      { timeout: 15_000 },
    );
    expect((performance.now() - killed) / 1000).toBeLessThan(5);
    expect(answer.stdout).toContain('Boot Device Selector : Force PXE');
    expect(agentOf(target).pid).not.toBe(agent.pid);
  });

  it('continues to answer from the same agent after malformed datagrams', async () => {
    const target = bmc(1);
    const agent = agentOf(target);
    const socket = createSocket('udp4');
    socket.connect(target.ipmi.port, target.ipmi.host);
    await once(socket, 'connect');
    for (const datagram of malformed()) socket.send(datagram);
    expect((await ipmitool(target, 'chassis power status')).stdout).toBe('Chassis Power is off\n');
    socket.close();
    expect(agentOf(target)).toEqual(agent);
  });

  it('applies new credentials without a restart', async () => {
    const target = bmc(2);
    const agent = agentOf(target);
    const password = 'changed-meanwhile';
    await sandbox.client.patch(
      SECRETS,
      { namespace: target.namespace, name: credentialsSecretName(target.name) },
      'merge',
      { data: { password: Buffer.from(password).toString('base64') } },
    );
    await eventually(async () => {
      expect((await ipmitool(target, 'chassis power status', { password, flags: ONE_TRY })).code).toBe(0);
    });
    expect((await ipmitool(target, 'chassis power status', { flags: ONE_TRY })).code).toBe(1);
    expect(agentOf(target)).toEqual(agent);
  });
});

/** Headers of RMCP, ASF, IPMI 1.5 and RMCP+ truncated at every length, with wrong length fields, and random data. */
function malformed(): Buffer[] {
  const open = Buffer.from(
    '0600ff07061000000000000000002000' + '00000000a4a3a2a0000000080100000001000008010000000200000801000000',
    'hex',
  );
  const authentication = Buffer.from('0600ff07000000000000000000092018c88100388e04b5', 'hex');
  const ping = Buffer.from('0600ff06000011be80000000', 'hex');
  const cut = [open, authentication, ping].flatMap((whole) =>
    Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length)),
  );
  const lying = Array.from({ length: 256 }, (_, byte) => {
    const datagram = Buffer.from(open);
    datagram.writeUInt16LE(byte * 257, 14);
    return datagram;
  });
  const noise = Array.from({ length: 200 }, (_, index) =>
    Buffer.concat([Buffer.from('0600ff07', 'hex'), randomBytes(index)]),
  );
  return [...cut, ...lying, ...noise, randomBytes(1400)];
}

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  IP_LEASES,
  IP_POOLS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  type IPLease,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { freePortRange } from '../../harness/free-port.ts';
import { repository } from '../../harness/repository.ts';
import { ipmitool, SandboxConsole, startSandbox, type Sandbox, type SandboxBmc } from '../../harness/sandbox/index.ts';
import { findTool, needs } from '../../tools/index.ts';

const run = promisify(execFile);
const POOL = { namespace: 'default', name: 'lan' };
/** For a loaded machine. */
const PATIENT = { timeout: 30_000 };
const LOGIN = /login: $/;
const UNPAUSE = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/vm-2/unpause';

/** PATH with this Node and the tests' kubectl. */
const path = [dirname(process.execPath), dirname(findTool('kubectl') ?? ''), process.env['PATH']].join(delimiter);

/** The lease of a machine of the sandbox. */
async function leaseOf({ client }: Sandbox, name: string): Promise<IPLease> {
  const { items } = await client.list(IP_LEASES, { namespace: POOL.namespace });
  return items.find(({ spec }) => spec.vmRef?.name === name) ?? expect.fail(`${name} has no lease`);
}

/** The instance of a machine when it shows its leased address. */
async function addressed(sandbox: Sandbox, name: string): Promise<VirtualMachineInstance> {
  return await eventually(async () => {
    const { spec } = await leaseOf(sandbox, name);
    const vmi = await sandbox.client.get(VIRTUAL_MACHINE_INSTANCES, { namespace: 'default', name });
    expect(vmi.status?.interfaces?.[0]).toMatchObject({ mac: spec.macAddress, ipAddress: spec.ipAddress });
    return vmi;
  }, PATIENT);
}

async function kubectl(sandbox: Sandbox, ...args: string[]): Promise<string> {
  const program = findTool('kubectl') ?? expect.fail('no kubectl');
  return (await run(program, ['--kubeconfig', sandbox.kubeconfig, ...args])).stdout;
}

const bmcOf = ({ bmcs }: Sandbox, index: number): SandboxBmc =>
  bmcs[index] ?? expect.fail(`the sandbox has no BMC ${index}`);

describe('the machines of a sandbox', needs('ipmitool', 'kubectl'), () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ vms: 3, timeout: 60_000 });
  });
  afterAll(async () => {
    await sandbox.close();
  });

  it('are on a network with a ready pool', () => {
    expect(sandbox.pools).toEqual([
      {
        ...POOL,
        cidr: '192.168.100.0/24',
        dhcp: { host: expect.stringMatching(/^127\.64\./) as string, port: 10_067 },
        relay: '192.168.100.1',
      },
    ]);
    expect(sandbox.output()).toMatch(/default\/lan +192\.168\.100\.0\/24 +127\.64\.[\d.]+:10067\n/);
  });

  it('request their addresses at power on, and kubectl shows them', async () => {
    expect((await ipmitool(bmcOf(sandbox, 0), 'chassis power on')).code).toBe(0);
    const vmi = await addressed(sandbox, 'vm-1');
    expect(vmi.status?.interfaces).toEqual([
      expect.objectContaining({ name: 'default', infoSource: 'domain, guest-agent, multus-status' }),
    ]);
    const address = vmi.status?.interfaces?.[0]?.ipAddress ?? '';
    const table = await kubectl(sandbox, 'get', 'vmi,ipleases');
    expect(table).toMatch(new RegExp(`virtualmachineinstance.kubevirt.io/vm-1 +\\S+ +Running +${address} `));
    expect(table).toMatch(new RegExp(`iplease.network.harvesterhci.io/lan.${address} +${address} +02:00:00:00:00:01 `));
    await eventually(async () => {
      expect((await leaseOf(sandbox, 'vm-1')).status?.state).toBe('Bound');
    }, PATIENT);
  });

  it('get the same answer as the command that the sandbox prints', async () => {
    const screen = sandbox.output().replaceAll(/ \\\n +/g, ' ');
    const line = /^ *(\S.* dhcp-client .*)$/m.exec(screen)?.[1] ?? expect.fail('there is no such line');
    const { stdout } = await run('sh', ['-c', line], { cwd: repository, env: { ...process.env, PATH: path } });
    expect(stdout).toContain((await leaseOf(sandbox, 'vm-1')).spec.ipAddress);
  });

  it('get a boot file for one network boot, and none after a reboot from inside the guest', async () => {
    const target = bmcOf(sandbox, 1);
    // Output without a connection is lost, so the guest starts when the console is open.
    const paused = { spec: { template: { spec: { startStrategy: 'Paused' } } } };
    await kubectl(sandbox, 'patch', 'vm', 'vm-2', '--type=merge', '-p', JSON.stringify(paused));
    expect((await ipmitool(target, 'chassis bootdev pxe')).code).toBe(0);
    expect((await ipmitool(target, 'chassis power on')).code).toBe(0);
    const console = await SandboxConsole.open(sandbox, 'vm-2');
    await sandbox.client.request({ method: 'PUT', path: UNPAUSE, headers: {}, body: '{}' });
    const { spec } = await leaseOf(sandbox, 'vm-2');

    const first = await console.until(LOGIN);
    expect(first).toContain(`net0: ${spec.ipAddress}/255.255.255.0 gw 192.168.100.1\r\n`);
    expect(first).toContain('Filename: http://192.168.100.3/boot.ipxe\r\n');
    expect(first).toContain('Booting from Hard Disk...');
    const vmi = await addressed(sandbox, 'vm-2');
    await eventually(async () => {
      const { status } = await leaseOf(sandbox, 'vm-2');
      expect(status?.bootConsumedUID).toBe(vmi.metadata.uid);
    }, PATIENT);

    console.type('root\rreboot\r');
    const second = await console.until(/Restarting system[^]*login: $/);
    expect(second).toContain('Booting from ROM...');
    expect(second).toContain(`net0: ${spec.ipAddress}/255.255.255.0`);
    expect(second).not.toContain('Filename:');
    console.close();
    // The instance is the same: only the guest has rebooted.
    expect((await addressed(sandbox, 'vm-2')).metadata.uid).toBe(vmi.metadata.uid);
  });

  it('get changed options of their pool when they renew', async () => {
    await kubectl(
      sandbox,
      'patch',
      'ippool',
      'lan',
      '--type=merge',
      '-p',
      '{"spec":{"ipv4Config":{"dns":["192.168.100.53"]}}}',
    );
    const console = await SandboxConsole.open(sandbox, 'vm-1');
    console.type('\rroot\r');
    await console.until(/# $/);
    await eventually(async () => {
      console.type('renew\rdns\r');
      expect(await console.until(/dns\r\n[^]*# $/)).toContain('nameserver 192.168.100.53\r\n');
    }, PATIENT);
    console.close();
  });

  it('prevent the deletion of their pool', async () => {
    await expect(kubectl(sandbox, 'delete', 'ippool', 'lan')).rejects.toMatchObject({
      stderr: expect.stringMatching(/vm-1/) as string,
    });
    await sandbox.client.get(IP_POOLS, POOL);
  });

  it('release their addresses when they are deleted', async () => {
    const { metadata } = await leaseOf(sandbox, 'vm-3');
    await kubectl(sandbox, 'delete', 'vm', 'vm-3');
    await eventually(async () => {
      const config = { namespace: 'default', name: 'vm-3' };
      expect(await sandbox.client.find(VIRTUAL_MACHINE_NETWORK_CONFIGS, config)).toBeUndefined();
      // It never ran, so no client can hold its address.
      expect(await sandbox.client.find(IP_LEASES, metadata)).toBeUndefined();
    }, PATIENT);
  });

  it('leave resting addresses, which kubectl shows, counts and frees', async () => {
    const { metadata, spec } = await leaseOf(sandbox, 'vm-1');
    const counted = async (): Promise<string> => {
      const columns = '-o=custom-columns=R:.status.ipv4.resting,N:.status.ipv4.nextFree';
      return await kubectl(sandbox, 'get', 'ippl', 'lan', '--no-headers', columns);
    };
    await kubectl(sandbox, 'delete', 'vm', 'vm-1');
    await eventually(async () => {
      const table = await kubectl(sandbox, 'get', 'ipleases', metadata.name);
      expect(table).toMatch(/^NAME +ADDRESS +MAC +VM +STATE +EXPIRES +LAST-SEEN +AGE\n/);
      expect(table).toMatch(new RegExp(`${spec.ipAddress} +${spec.macAddress} +vm-1 +Resting +\\d{4}-\\S+Z `));
      expect(await counted()).toMatch(/^1 +\d{4}-\S+Z\n/);
    }, PATIENT);
    await kubectl(sandbox, 'delete', 'iplease', metadata.name);
    await eventually(async () => {
      expect(await counted()).toMatch(/^0 +<none>\n/);
    }, PATIENT);
  });
});

describe('a restored sandbox', needs('ipmitool', 'kubectl'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-e2e-leases-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('has the leases and addresses from before it was killed', { timeout: 120_000 }, async () => {
    const ipmiPort = await freePortRange(1);
    const start = () => startSandbox({ ipmiPort, args: ['--data-dir', join(folder, 'lab')], timeout: 60_000 });
    await using sandboxes = new AsyncDisposableStack();
    const before = await start();
    sandboxes.defer(() => before.close());
    expect((await ipmitool(bmcOf(before, 0), 'chassis power on')).code).toBe(0);
    const vmi = await addressed(before, 'vm-1');
    const lease = await leaseOf(before, 'vm-1');
    await before.process.stop('SIGKILL');

    const after = await start();
    sandboxes.defer(() => after.close());
    expect(after.pools.map(({ name }) => name)).toEqual(['lan']);
    expect((await leaseOf(after, 'vm-1')).metadata.uid).toBe(lease.metadata.uid);
    expect((await addressed(after, 'vm-1')).metadata.uid).toBe(vmi.metadata.uid);
    const console = await SandboxConsole.open(after, 'vm-1');
    console.type('\rroot\r');
    await console.until(/# $/);
    await eventually(async () => {
      console.type('ip addr\r');
      expect(await console.until(/ip addr\r\n[^]*# $/)).toContain(`inet ${lease.spec.ipAddress}/24 `);
    }, PATIENT);
    console.close();
  });
});

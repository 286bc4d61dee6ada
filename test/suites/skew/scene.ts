import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import {
  agentName,
  CERTIFICATE_KEYS,
  certificateSecretName,
  IP_LEASES,
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import { PODS, SECRETS, type Pod } from '@groundcrew/controller-runtime';
import { eventually, type Cluster, type StandIns } from '../../harness/index.ts';
import { ipmitool } from '../../harness/sandbox/ipmitool.ts';
import { groundcrew } from '../../harness/stand-ins.ts';
import { findTool } from '../../tools/index.ts';
import { TestMachine } from '../power/test-machine.ts';

const run = promisify(execFile);

const MAC = '02:00:00:00:00:77';
/** Of the pool; clients may ask by a relay agent that has it. */
const ROUTER = '10.48.0.1';
/** What managers of the tests give DHCP agents. */
const DHCP_PORT = 10067;
/** For agents that start on a loaded machine. */
const PATIENT = { timeout: 60_000 };

/** A VM with a BMC, a VM with an address of a pool, and what clients of both do. */
export class SkewScene {
  readonly namespace: string;
  readonly machine: TestMachine;
  readonly #cluster: Cluster;
  readonly #standIns: StandIns;
  readonly #folder = mkdtempSync(join(tmpdir(), 'groundcrew-skew-'));

  private constructor(cluster: Cluster, standIns: StandIns, namespace: string, machine: TestMachine) {
    this.#cluster = cluster;
    this.#standIns = standIns;
    this.namespace = namespace;
    this.machine = machine;
    onTestFinished(() => {
      rmSync(this.#folder, { recursive: true });
    });
  }

  static async create(cluster: Cluster, standIns: StandIns): Promise<SkewScene> {
    const { client } = cluster;
    const namespace = await cluster.namespace();
    const config = JSON.stringify({ cniVersion: '0.3.1', name: 'lan', type: 'bridge', bridge: 'br0' });
    await client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { namespace, name: 'lan' },
      spec: { config },
    });
    await client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: { namespace, name: 'pool' },
      spec: {
        networkName: `${namespace}/lan`,
        ipv4Config: {
          cidr: '10.48.0.0/24',
          serverIP: '10.48.0.2',
          router: ROUTER,
          pool: { start: '10.48.0.10', end: '10.48.0.200' },
        },
      },
    });
    await client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace, name: 'client' },
      spec: {
        runStrategy: 'Manual',
        template: {
          spec: {
            domain: {
              memory: { guest: '64Mi' },
              devices: { disks: [], interfaces: [{ name: 'lan', bridge: {}, macAddress: MAC }] },
            },
            networks: [{ name: 'lan', multus: { networkName: 'lan' } }],
          },
        },
      },
    });
    return new SkewScene(cluster, standIns, namespace, await TestMachine.create(cluster, namespace, 'web', 'Manual'));
  }

  /** Resolves when BMC and pool are served by agents of that image alone, which tolerate `taint`. */
  async untilServedBy(image: string, taint: string): Promise<void> {
    const { client } = this.#cluster;
    const agent = { image, tolerates: true, isReady: true };
    await eventually(async () => {
      const agents = (await this.#pods()).map((pod) => ({
        image: pod.spec?.containers[0]?.image,
        tolerates: pod.spec?.tolerations?.some(({ key }) => key === taint),
        isReady: isReady(pod),
      }));
      expect(agents).toEqual([agent, agent]);
      const bmc = await client.get(VIRTUAL_MACHINE_BMCS, this.machine.bmc);
      const pool = await client.get(IP_POOLS, { namespace: this.namespace, name: 'pool' });
      const names = (await this.#pods()).map(({ metadata }) => metadata.name);
      expect([bmc.status?.phase, pool.status?.phase]).toEqual(['Ready', 'Ready']);
      expect(names).toEqual(expect.arrayContaining([bmc.status?.agent?.name, pool.status?.agents?.[0]?.name]));
    }, PATIENT);
  }

  /** Powers the VM on and off by IPMI, and looks at it by Redfish and in the status of the BMC. */
  async usePower(): Promise<void> {
    expect(await this.#power('status')).toBe('Chassis Power is off');
    expect(await this.#power('on')).toBe('Chassis Power Control: Up/On');
    await this.machine.running();
    await eventually(async () => {
      expect(await this.#power('status')).toBe('Chassis Power is on');
    });
    const system = await this.#curl('/Systems/1', '--fail', '--user', 'admin:secret');
    expect(JSON.parse(system)).toMatchObject({ PowerState: 'On' });
    await eventually(async () => {
      expect((await this.machine.bmcObject()).status?.powerState).toBe('On');
    });
    expect(await this.#power('off')).toBe('Chassis Power Control: Down/Off');
    await this.machine.off();
  }

  /** Opens a Redfish session. @returns its token */
  async logIn(): Promise<string> {
    const headers = await this.#curl(
      '/SessionService/Sessions',
      ...['--fail', '--output', '/dev/null', '--dump-header', '-', '--header', 'Content-Type: application/json'],
      ...['--data', JSON.stringify({ UserName: 'admin', Password: 'secret' })],
    );
    return /^x-auth-token: (\S+)/im.exec(headers)?.[1] ?? expect.fail(`there is no token in ${headers}`);
  }

  /** The HTTP status of a request with a token. */
  async sessionOf(token: string): Promise<number> {
    const answer = await this.#curl('/Systems/1', '--header', `X-Auth-Token: ${token}`, '--write-out', '%{http_code}');
    return Number(answer.slice(-3));
  }

  /** The address that the DHCP agent gives the client, which gives it back. The agent writes both into the lease. */
  async lease(): Promise<string> {
    const agent = (await this.#pods()).find(({ spec }) => spec?.containers[0]?.args?.includes('dhcp'));
    const [command, ...first] = groundcrew;
    const server = `${agent?.status?.podIP ?? ''}:${DHCP_PORT}`;
    const client = [...first, 'dhcp-client', '--server', server, '--relay', ROUTER, '--mac', MAC, '--output', 'json'];
    const untilWritten = async (state: string): Promise<void> => {
      await eventually(async () => {
        const { items } = await this.#cluster.client.list(IP_LEASES, { namespace: this.namespace });
        expect(items.map(({ status }) => [status?.state, status?.agent])).toEqual([[state, agent?.metadata.name]]);
      });
    };
    const { address } = JSON.parse((await run(command, client)).stdout) as { address: string };
    await untilWritten('Bound');
    await run(command, [...client, '--release']);
    await untilWritten('Released');
    return address;
  }

  async #power(command: string): Promise<string> {
    const { host, port } = this.#addressOf('ipmi');
    const bmc = { ipmi: { host, port }, username: 'admin', password: 'secret' };
    const { code, stdout, stderr } = await ipmitool(bmc, `chassis power ${command}`);
    if (code !== 0) throw new Error(`ipmitool chassis power ${command}: ${stderr}`);
    return stdout.trim();
  }

  async #curl(path: string, ...args: string[]): Promise<string> {
    const secret = { namespace: this.namespace, name: certificateSecretName(this.machine.bmc.name) };
    const { data } = await this.#cluster.client.get(SECRETS, secret);
    const authority = join(this.#folder, 'ca.crt');
    writeFileSync(authority, Buffer.from(data?.[CERTIFICATE_KEYS.authority] ?? '', 'base64'));
    const { host, port } = this.#addressOf('redfish');
    const { stdout } = await run(findTool('curl') ?? 'curl', [
      ...['--silent', '--show-error', '--max-time', '20', '--cacert', authority, '--connect-to', `::${host}:${port}`],
      ...args,
      `https://${agentName('web')}.${this.namespace}.svc/redfish/v1${path}`,
    ]);
    return stdout;
  }

  #addressOf(port: string): { host: string; port: number } {
    const service = { namespace: this.namespace, name: agentName('web') };
    return this.#standIns.services.addressOf(service, port) ?? expect.fail(`the port ${port} is not open`);
  }

  async #pods(): Promise<Pod[]> {
    const { items } = await this.#cluster.client.list(PODS, { namespace: this.namespace });
    return items.filter(({ spec }) => spec?.containers[0]?.args?.[0] === 'agent');
  }
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

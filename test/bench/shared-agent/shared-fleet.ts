import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  certificateSecretName,
  LABELS,
  sharedAgentName,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  writeMember,
} from '../../../api/index.ts';
import { LEASES, NAMESPACES, objectPath, PODS, SECRETS, SERVICE_ACCOUNTS } from '@groundcrew/controller-runtime';
import { selfSigned } from '../../../protocols/redfish/testing/index.ts';
import { imageEnvironment, imageNodeOptions } from '../../harness/container-image.ts';
import { embeddedServer } from '../../harness/embedded/server.ts';
import { eventually } from '../../harness/eventually.ts';
import { freePorts } from '../../harness/free-port.ts';
import { ServerProcess } from '../../harness/process.ts';
import type { TestServer } from '../../harness/server.ts';
import { podEnvironment } from '../../harness/service-accounts.ts';
import { startStandIns } from '../../harness/stand-ins.ts';
import { benchMachine } from '../bench-machine.ts';

const NAMESPACE = 'bench';
const NAME = sharedAgentName(0);
const IN_FLIGHT = 16;

export const CREDENTIALS = { username: 'admin', password: 'password' };

/** One of the two processes of the shared agent; not started yet. */
export interface AgentProcess {
  readonly name: string;
  /** Loopback address on which it listens, in place of the address of its pod. */
  readonly address: string;
  readonly healthPort: number;
  readonly process: ServerProcess;
}

/** Many BMCs of one shared agent, with an API server and the simulated KubeVirt in this process. Their machines are off. */
export class SharedFleet {
  readonly server: TestServer;
  readonly #folder: string;
  readonly #agents: AgentProcess[] = [];
  readonly #standIns: { close(): Promise<void> };

  private constructor(server: TestServer, folder: string, standIns: { close(): Promise<void> }) {
    this.server = server;
    this.#folder = folder;
    this.#standIns = standIns;
  }

  /** Creates the objects that a manager makes for this number of BMCs, in the slots from 0. */
  static async create(count: number, hooks: Parameters<typeof embeddedServer>[0] = {}): Promise<SharedFleet> {
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-shared-'));
    const server = await embeddedServer(hooks);
    const standIns = await startStandIns(server, join(folder, 'nodes'), { parts: ['kubevirt'] });
    const fleet = new SharedFleet(server, folder, standIns);
    await fleet.#createObjects(count);
    return fleet;
  }

  /** @param command path of the built program */
  async agent(index: 0 | 1, command: string): Promise<AgentProcess> {
    const name = `${NAME}-${index}`;
    const address = `127.0.0.${index + 1}`;
    const [healthPort = 0] = await freePorts(1);
    const process = new ServerProcess({
      command: globalThis.process.execPath,
      args: [
        ...[...imageNodeOptions(), command, 'agent', 'bmc'],
        ...['--namespace', NAMESPACE, '--shared', NAME, '--pod-name', name],
        ...['--bind-address', address, '--health-port', String(healthPort)],
      ],
      env: {
        ...(await podEnvironment(this.server, { namespace: NAMESPACE, name: NAME }, join(this.#folder, name))),
        ...imageEnvironment(),
        // The file system of a pod is read-only, so there is no compile cache.
        NODE_DISABLE_COMPILE_CACHE: '1',
      },
      cwd: this.#folder,
      log: join(this.#folder, `${name}.log`),
    });
    const agent = { name, address, healthPort, process };
    this.#agents.push(agent);
    return agent;
  }

  /** Resolves when the Services of the BMCs would select this agent: the ports of all are open. */
  async selects({ name, process }: AgentProcess): Promise<void> {
    await process.waitUntil(async () => {
      const { metadata } = await this.server.client.get(PODS, { namespace: NAMESPACE, name });
      if (metadata.labels?.[LABELS.acting] !== 'true') throw new Error('the pod is not labelled yet');
    }, 60_000);
  }

  /** Resolves when it is ready to take over. */
  async standsBy({ address, healthPort, process }: AgentProcess): Promise<void> {
    await process.waitUntil(async () => {
      const { ok } = await fetch(`http://${address}:${healthPort}/readyz`);
      if (!ok) throw new Error('not ready');
    }, 60_000);
  }

  /** BMCs whose status says that they are served. */
  async confirmed(count: number): Promise<void> {
    await eventually(
      async () => {
        const { items } = await this.server.client.list(VIRTUAL_MACHINE_BMCS, { namespace: NAMESPACE });
        const served = items.filter(({ status }) => status?.agent?.observedGeneration !== undefined).length;
        if (served < count) throw new Error(`${served} of ${count} are confirmed`);
      },
      { timeout: 120_000 },
    );
  }

  /** Name of the machine in a slot. */
  static machineOf(slot: number): string {
    return `vm-${slot}`;
  }

  /** Starts the machine in this slot. */
  async powerOn(slot: number): Promise<void> {
    const ref = { namespace: NAMESPACE, name: SharedFleet.machineOf(slot) };
    const path = objectPath({ ...VIRTUAL_MACHINES, group: 'subresources.kubevirt.io' }, ref, 'start');
    const headers = { 'content-type': 'application/json' };
    await this.server.client.request({ method: 'PUT', path, headers, body: '{}' });
    await eventually(async () => {
      const { status } = await this.server.client.get(VIRTUAL_MACHINE_INSTANCES, ref);
      if (status?.phase !== 'Running') throw new Error('the machine does not run');
    });
  }

  async close(): Promise<void> {
    for (const { process } of this.#agents) await process.dispose();
    await this.#standIns.close();
    await this.server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #createObjects(count: number): Promise<void> {
    const { client } = this.server;
    const metadata = { namespace: NAMESPACE, name: NAME };
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    await client.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata });
    for (const index of [0, 1]) {
      const spec = { containers: [{ name: 'agent', image: 'groundcrew' }] };
      await client.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, name: `${NAME}-${index}` },
        spec,
      });
    }
    const pair = await selfSigned('bmc');
    const members: Record<string, string> = {};
    const slots = Array.from({ length: count }, (_, slot) => slot).values();
    const create = async (): Promise<void> => {
      for (const slot of slots) members[SharedFleet.machineOf(slot)] = await this.#createMachine(slot, pair);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, create));
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: members });
  }

  /** @returns its entry */
  async #createMachine(slot: number, { cert, key }: { cert: string; key: string }): Promise<string> {
    const { client } = this.server;
    const metadata = { namespace: NAMESPACE, name: SharedFleet.machineOf(slot) };
    await client.create(VIRTUAL_MACHINES, benchMachine(metadata, 'Manual'));
    const tls = await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { ...metadata, name: certificateSecretName(metadata.name) },
      stringData: { 'tls.key': key, 'tls.crt': cert },
    });
    const bmc = await client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata,
      spec: { virtualMachineRef: { name: metadata.name }, placement: 'Shared' },
    });
    const status = { agent: { name: NAME } };
    await client.patch(VIRTUAL_MACHINE_BMCS, metadata, 'merge', { status }, { subresource: 'status' });
    const data = Object.fromEntries(Object.entries(CREDENTIALS).map(([field, text]) => [field, btoa(text)]));
    const credentials = { name: `${metadata.name}-credentials`, uid: `uid-${slot}`, resourceVersion: '1', data };
    const certificate = tls.metadata.resourceVersion ?? '';
    return writeMember({ uid: bmc.metadata.uid ?? '', slot, credentials, certificate });
  }
}

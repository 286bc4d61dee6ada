import { randomInt } from 'node:crypto';
import { afterAll, expect } from 'vitest';
import {
  certificateSecretName,
  credentialsSecretName,
  LABELS,
  type SharedAgentMember,
  VIRTUAL_MACHINE_BMCS,
  writeMember,
} from '../../../api/index.ts';
import { LEASES, PODS, type Role, SECRETS } from '@groundcrew/controller-runtime';
import { type KeyPair, makeAuthority, makeServerCertificate } from '../../../manager/authority/index.ts';
import { role } from '../../../manager/virtualmachinebmc/children/role.ts';
import { eventually, type Cluster } from '../../harness/index.ts';
import { grantRole } from '../../harness/service-accounts.ts';
import { TestMachine } from '../power/test-machine.ts';
import { openSession, startSharedPod, type Session, type SharedPod } from './shared-pod.ts';

const DAY = 86_400_000;
const NAME = 'virtbmc-shared-0';
const LOGIN = { username: 'admin', password: 'secret' };

/** The objects of one shared agent in a namespace of its own, as the manager makes them. */
export class SharedScene {
  readonly world: Cluster;
  readonly namespace: string;
  readonly machines: TestMachine[] = [];
  /** PEM. It has issued the certificates of all BMCs, with the name `bmc`. */
  authority = '';
  readonly #pods: SharedPod[] = [];
  /** Of this scene alone, so that files that run at the same time do not meet at a port. */
  readonly #network = `127.${randomInt(64, 120)}.${randomInt(256)}`;

  readonly #certificate: KeyPair;

  private constructor(world: Cluster, namespace: string, certificate: KeyPair) {
    this.world = world;
    this.namespace = namespace;
    this.#certificate = certificate;
  }

  /** Call it at the top of a suite. Its agents end with the suite. */
  static async create(world: Cluster, machines: number): Promise<SharedScene> {
    const { client } = world;
    const authority = await makeAuthority({ name: 'test', lifetime: DAY, now: Date.now() });
    const certificate = await makeServerCertificate(authority, { names: ['bmc'], lifetime: DAY, now: Date.now() });
    const scene = new SharedScene(world, await world.namespace(), certificate);
    scene.authority = authority.cert;
    const metadata = { namespace: scene.namespace, name: NAME };
    await client.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata });
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata });
    for (const name of scene.podNames) {
      const containers = [{ name: 'agent', image: 'groundcrew' }];
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name }, spec: { containers } };
      await client.create(PODS, pod);
    }
    await scene.addAll(Array.from({ length: machines }, (_, slot) => slot));
    afterAll(() => scene.close());
    return scene;
  }

  get podNames(): readonly string[] {
    return [`${NAME}-0`, `${NAME}-1`];
  }

  /** Creates a VM and its BMC in this slot of the agent. */
  async add(slot: number, member: Partial<SharedAgentMember> = {}): Promise<TestMachine> {
    const machine = await this.#create();
    await this.permit();
    await this.place(machine, slot, member);
    return machine;
  }

  async addAll(slots: readonly number[]): Promise<void> {
    const added: [TestMachine, number][] = [];
    for (const slot of slots) added.push([await this.#create(), slot]);
    await this.permit();
    for (const [machine, slot] of added) await this.place(machine, slot);
  }

  async #create(): Promise<TestMachine> {
    const machine = await TestMachine.create(this.world, this.namespace, `vm-${this.machines.length}`, 'Manual');
    this.machines.push(machine);
    const { cert, key } = this.#certificate;
    await this.world.client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { namespace: this.namespace, name: certificateSecretName(machine.bmc.name) },
      stringData: { 'tls.crt': cert, 'tls.key': key },
    });
    return machine;
  }

  /** Gives a BMC this slot. */
  async place(machine: TestMachine, slot: number, member: Partial<SharedAgentMember> = {}): Promise<void> {
    const { client } = this.world;
    const { metadata } = await machine.bmcObject();
    const secret = await client.get(SECRETS, { namespace: this.namespace, name: `${machine.ref.name}-creds` });
    const tls = { namespace: this.namespace, name: certificateSecretName(machine.bmc.name) };
    const certificate = (await client.get(SECRETS, tls)).metadata.resourceVersion ?? '';
    const { name, uid = '', resourceVersion = '' } = secret.metadata;
    const credentials = { name, uid, resourceVersion, data: secret.data ?? {} };
    await this.list(machine, writeMember({ uid: metadata.uid ?? '', slot, credentials, certificate, ...member }));
    const status = { agent: { name: NAME } };
    await client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { status }, { subresource: 'status' });
  }

  /** Gives the BMC in this slot a Secret that clients may change, as the manager makes it for one that names none. */
  async generate(machine: TestMachine, slot: number): Promise<void> {
    const { client } = this.world;
    await client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec: { authSecretRef: null } });
    const { apiVersion, kind, metadata: self } = await machine.bmcObject();
    const owner = { apiVersion, kind, name: self.name, uid: self.uid ?? '', controller: true };
    const secret = await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: this.namespace, name: credentialsSecretName(self.name), ownerReferences: [owner] },
      stringData: LOGIN,
    });
    await this.permit();
    const { metadata, data = {} } = secret;
    const { uid: secretUid = '', resourceVersion = '' } = metadata;
    await this.place(machine, slot, { credentials: { name: metadata.name, uid: secretUid, resourceVersion, data } });
  }

  /** Sets the entry of a BMC; null removes it. */
  async list(machine: TestMachine, entry: string | null): Promise<void> {
    const value = entry === null ? null : Buffer.from(entry).toString('base64');
    const data = { [machine.bmc.name]: value };
    await this.world.client.patch(SECRETS, { namespace: this.namespace, name: NAME }, 'merge', { data });
  }

  /** The Role: reads of one kind unnamed, writes by name. */
  async permit(): Promise<void> {
    const { client } = this.world;
    const bmcs = await Promise.all(this.machines.map((machine) => machine.bmcObject()));
    const named = (apiGroup: string, resource: string, names: readonly string[], verbs: string[]): Rule => {
      return { apiGroups: [apiGroup], resources: [resource], resourceNames: [...names], verbs };
    };
    const kinds = [
      ['kubevirt.io', 'virtualmachines'],
      ['kubevirt.io', 'virtualmachineinstances'],
      ['bmc.kubevirt.io', 'virtualmachinebmcs'],
      ['cdi.kubevirt.io', 'datavolumes'],
    ];
    await grantRole(client, { namespace: this.namespace, name: NAME }, [
      ...kinds.map(([group = '', kind = '']) => {
        return { apiGroups: [group], resources: [kind], verbs: ['get', 'list', 'watch'] };
      }),
      ...bmcs.flatMap((bmc) => role(bmc).rules ?? []),
      named('', 'secrets', [NAME], ['get', 'list', 'watch']),
      named('coordination.k8s.io', 'leases', [NAME], ['get', 'update']),
      named('', 'pods', this.podNames, ['get', 'patch']),
    ]);
  }

  /** @param through the API server as the pod reaches it; `most`: of its client */
  async start(index: 0 | 1, through: { server?: string; most?: number } = {}): Promise<SharedPod> {
    const [name = ''] = this.podNames.slice(index);
    const place = { namespace: this.namespace, agent: NAME, name, address: `${this.#network}.${index + 1}` };
    const { server = this.world.server, ...limits } = through;
    const { client, ca } = this.world;
    const pod = await startSharedPod({ client, ca, server }, { ...place, ...limits });
    this.#pods.push(pod);
    return pod;
  }

  /** Resolves when the Services of the BMCs select this pod, and no other. */
  async selects(pod: SharedPod): Promise<void> {
    await eventually(
      async () => {
        const { items } = await this.world.client.list(PODS, {
          namespace: this.namespace,
          labelSelector: `${LABELS.acting}=true`,
        });
        expect(items.map(({ metadata }) => metadata.name)).toEqual([pod.name]);
      },
      { timeout: 20_000 },
    );
  }

  /** Resolves when the agent has confirmed all BMCs. */
  async confirmed(): Promise<void> {
    await eventually(async () => {
      for (const machine of this.machines) {
        const { metadata, status } = await machine.bmcObject();
        expect(status?.agent).toEqual({ name: NAME, observedGeneration: metadata.generation });
      }
    });
  }

  /** Opens an IPMI session with the BMC in this slot. */
  async session(pod: SharedPod, slot: number, password = LOGIN.password): Promise<Session> {
    return await openSession(pod.address, slot, { ...LOGIN, password });
  }

  async close(): Promise<void> {
    for (const pod of this.#pods) pod.stop();
    for (const pod of this.#pods) await pod.close();
  }
}

type Rule = NonNullable<Role['rules']>[number];

import { expect } from 'vitest';
import {
  agentName,
  ALLOWED_POOL_NAMESPACES_ANNOTATION,
  dhcpAgentName,
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINES,
  type IPPool,
  type VirtualMachine,
} from '../../../api/index.ts';
import { DEPLOYMENTS, ROLE_BINDINGS, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { eventually, type Cluster, type RunningManager, type StandInOptions } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { TestMachine } from '../power/test-machine.ts';

/** `user` has the roles edit of Kubernetes, KubeVirt and the chart in `mine`; the agents have what the manager gives them. */
export type Account = 'user' | 'agent of a BMC' | 'DHCP agent';

/** The MAC address of VM `wired` of `theirs`. */
export const MAC = '02:00:00:00:00:0a';

const RANGE = { cidr: '10.48.0.0/24', serverIP: '10.48.0.2', pool: { start: '10.48.0.10', end: '10.48.0.200' } };

export async function createPool(
  as: KubeClient,
  metadata: Required<ObjectRef>,
  networkName: string,
  config: object = {},
): Promise<IPPool> {
  return await as.create(IP_POOLS, {
    ...{ apiVersion: 'network.harvesterhci.io/v1alpha1', kind: 'IPPool', metadata },
    spec: { networkName, ipv4Config: { ...RANGE, ...config } },
  });
}

/** Two tenants with VMs, BMCs, networks and pools on a cluster with the chart's own roles, policies and manager. */
export class TenancyScene {
  readonly world: Cluster;
  readonly mine: string;
  readonly theirs: string;
  readonly #clients = new Map<Account, KubeClient>();

  private constructor(world: Cluster, mine: string, theirs: string) {
    this.world = world;
    this.mine = mine;
    this.theirs = theirs;
  }

  static async in(world: Cluster): Promise<TenancyScene> {
    return new TenancyScene(world, await world.namespace(), await world.namespace());
  }

  get client(): KubeClient {
    return this.world.client;
  }

  readonly inMine = (name: string): Required<ObjectRef> => ({ namespace: this.mine, name });
  readonly inTheirs = (name: string): Required<ObjectRef> => ({ namespace: this.theirs, name });

  /** A client with the permissions of an account of `mine`. */
  as(who: Account): KubeClient {
    return this.#clients.get(who) ?? expect.fail(`there is no ${who}`);
  }

  /** Resolves when the manager has created the agents. */
  async setUp(parts: StandInOptions['parts']): Promise<RunningManager> {
    const { world, client, mine, theirs, inMine, inTheirs } = this;
    await world.standIns({ ...(parts === undefined ? {} : { parts }) });
    await installMultus(client);
    const manager = await world.manager();
    for (const [namespace, vms, network, name, annotations] of [
      [mine, ['web', 'other'], 'lan', 'pool', {}],
      [theirs, ['prod'], 'prod-net', 'prod', {}],
      [theirs, [], 'shared', 'shared', { [ALLOWED_POOL_NAMESPACES_ANNOTATION]: mine }],
    ] as const) {
      for (const vm of vms) await TestMachine.create(world, namespace, vm, 'Halted');
      await client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
        ...{
          apiVersion: 'k8s.cni.cncf.io/v1',
          kind: 'NetworkAttachmentDefinition',
          metadata: { namespace, name: network, annotations },
        },
        spec: {
          config: JSON.stringify({ cniVersion: '0.3.1', name: network, type: 'bridge', bridge: `br-${network}` }),
        },
      });
      await createPool(client, { namespace, name }, `${namespace}/${network}`, { router: '10.48.0.1' });
    }
    await this.#createVm(inTheirs('wired'), {
      domain: { memory: { guest: '1Gi' }, devices: { interfaces: [{ name: 'n', bridge: {}, macAddress: MAC }] } },
      networks: [{ name: 'n', multus: { networkName: `${theirs}/shared` } }],
    });
    // Without a BMC.
    await this.#createVm(inMine('spare'), { domain: { memory: { guest: '1Gi' }, devices: {} } });
    for (const role of ['edit', 'kubevirt.io:edit', 'groundcrew-edit']) {
      await client.create(ROLE_BINDINGS, {
        ...{
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: inMine(role.replace(':', '-')),
        },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'ServiceAccount', ...inMine('user') }],
      });
    }
    const [ofBmc, ofDhcp] = [agentName('web'), dhcpAgentName('lan', 0)];
    for (const name of [ofBmc, ofDhcp]) await eventually(() => client.get(DEPLOYMENTS, inMine(name)));
    await eventually(() => client.get(DEPLOYMENTS, inTheirs(agentName('prod'))));
    this.#clients.set('user', await world.clientFor(inMine('user')));
    this.#clients.set('agent of a BMC', await world.clientFor(inMine(ofBmc)));
    this.#clients.set('DHCP agent', await world.clientFor(inMine(ofDhcp)));
    return manager;
  }

  async #createVm(metadata: Required<ObjectRef>, spec: VirtualMachine['spec']['template']['spec']): Promise<void> {
    await this.client.create(VIRTUAL_MACHINES, {
      ...{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata },
      spec: { runStrategy: 'Halted', template: { spec } },
    });
  }
}

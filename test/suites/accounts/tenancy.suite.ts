import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  agentName,
  ALLOWED_POOL_NAMESPACES_ANNOTATION,
  certificateSecretName,
  dhcpAgentName,
  IP_LEASES,
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import {
  ApiError,
  DEPLOYMENTS,
  EVENTS,
  type Kind,
  type KubeClient,
  type KubeObject,
  PODS,
  ROLE_BINDINGS,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { needs } from '../../tools/index.ts';
import { TestMachine } from '../power/test-machine.ts';

/**
 * What one tenant can do to another, on a real API server with the chart's own roles, policies and manager. Each row is one attempt from
 * the namespace `mine`. It is refused, or it has no effect on the namespace `theirs`. Add rows where a feature could cross namespaces.
 */
interface Row {
  /** `user` has the roles edit of Kubernetes, KubeVirt and the chart in `mine`; the agents have what the manager gives them. */
  who: 'user' | 'agent of a BMC' | 'DHCP agent';
  /** Completes the sentence. */
  does: string;
  attempt: (as: KubeClient) => Promise<unknown>;
  /** Of an attempt that the API server accepts: resolves when the manager has handled it, and throws if it has reached `theirs`. */
  hasNoEffect?: () => Promise<void>;
}

const world = await cluster();
const { client } = world;
const [mine, theirs] = [await world.namespace(), await world.namespace()];
const inMine = (name: string) => ({ namespace: mine, name });
const inTheirs = (name: string) => ({ namespace: theirs, name });
const clients = new Map<Row['who'], KubeClient>();

const start = (namespace: string, name: string) => (as: KubeClient) =>
  as.request({
    method: 'PUT',
    path: `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachines/${name}/start`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
const bmc = (namespace: string, name: string, spec: object) => (as: KubeClient) =>
  as.create(VIRTUAL_MACHINE_BMCS, {
    ...{ apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', metadata: { namespace, name } },
    spec: { virtualMachineRef: { name: 'web' }, ...spec },
  });
const RANGE = { cidr: '10.48.0.0/24', serverIP: '10.48.0.2', pool: { start: '10.48.0.10', end: '10.48.0.200' } };
const pool =
  (namespace: string, name: string, networkName: string, config: object = {}) =>
  (as: KubeClient) =>
    as.create(IP_POOLS, {
      ...{ apiVersion: 'network.harvesterhci.io/v1alpha1', kind: 'IPPool', metadata: { namespace, name } },
      spec: { networkName, ipv4Config: { ...RANGE, ...config } },
    });
/** The MAC address of VM `wired` of `theirs`. */
const MAC = '02:00:00:00:00:0a';
const networkConfig = (name: string) => (as: KubeClient) =>
  as.create(VIRTUAL_MACHINE_NETWORK_CONFIGS, {
    ...{ apiVersion: 'network.harvesterhci.io/v1alpha1', kind: 'VirtualMachineNetworkConfig', metadata: inMine(name) },
    spec: { vmName: name, networkConfigs: [{ networkName: `${theirs}/shared`, macAddress: MAC, retain: true }] },
  });
/** Resolves when a condition of the object has the reason. */
const untilReason = <T extends KubeObject & { status?: { conditions?: { reason: string }[] } }>(
  kind: Kind<T>,
  name: string,
  reason: string,
) =>
  eventually(async () => {
    const { status } = await client.get(kind, inMine(name));
    expect(status?.conditions?.map((condition) => condition.reason)).toContain(reason);
  });
const labelled = { metadata: { labels: { touched: 'true' } } };

const rows: readonly Row[] = [
  { who: 'user', does: 'reads Secrets', attempt: (as) => as.list(SECRETS, { namespace: theirs }) },
  { who: 'user', does: 'creates a BMC', attempt: bmc(theirs, 'x', {}) },
  {
    who: 'user',
    does: 'changes a BMC',
    attempt: (as) => as.patch(VIRTUAL_MACHINE_BMCS, inTheirs('prod-bmc'), 'merge', labelled),
  },
  { who: 'user', does: 'creates a pool', attempt: pool(theirs, 'x', `${mine}/lan`) },
  { who: 'user', does: 'deletes a pool', attempt: (as) => as.delete(IP_POOLS, inTheirs('prod')) },
  { who: 'user', does: 'reads leases', attempt: (as) => as.list(IP_LEASES, { namespace: theirs }) },
  {
    who: 'user',
    does: 'writes a lease, also in the own namespace',
    attempt: (as) =>
      as.create(IP_LEASES, {
        ...{ apiVersion: 'network.harvesterhci.io/v1alpha1', kind: 'IPLease', metadata: inMine('pool.10.48.0.10') },
        spec: { ipAddress: '10.48.0.10', macAddress: '02:00:00:00:00:01' },
      }),
  },
  {
    who: 'user',
    does: 'writes the status of a BMC, which the manager trusts, also in the own namespace',
    attempt: (as) =>
      as.patch(VIRTUAL_MACHINE_BMCS, inMine('web-bmc'), 'merge', { status: {} }, { subresource: 'status' }),
  },
  {
    who: 'user',
    does: 'names a VM in a BMC',
    attempt: bmc(mine, 'of-prod', { virtualMachineRef: { name: `${theirs}/prod` } }),
  },
  {
    who: 'user',
    does: 'names a Secret in a BMC',
    attempt: bmc(mine, 'as-prod', { authSecretRef: { name: `${theirs}/prod-creds` } }),
  },
  {
    who: 'user',
    does: 'serves a network with a pool',
    attempt: pool(mine, 'grab', `${theirs}/prod-net`),
    hasNoEffect: async () => {
      await untilReason(IP_POOLS, 'grab', 'NamespaceNotAllowed');
      const { items } = await client.list(DEPLOYMENTS, { namespace: theirs });
      expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual([
        ...['prod-net-dhcp-0', 'prod-virtbmc', 'shared-dhcp-0'],
      ]);
      const owned = await client.get(IP_POOLS, inTheirs('prod'));
      expect(owned.status?.conditions?.map(({ reason }) => reason)).toContain('NoConflict');
    },
  },
  {
    who: 'user',
    does: 'uses the router of a network, which its owner shares, as the server address of a pool',
    attempt: pool(mine, 'router', `${theirs}/shared`, {
      serverIP: '10.48.0.1',
      pool: { start: '10.48.0.210', end: '10.48.0.220' },
    }),
    hasNoEffect: () => untilReason(IP_POOLS, 'router', 'AddressesTaken'),
  },
  {
    who: 'user',
    does: 'takes the MAC address of a VM, for a VM that does not exist',
    attempt: networkConfig('ghost'),
    hasNoEffect: async () => {
      await untilReason(VIRTUAL_MACHINE_NETWORK_CONFIGS, 'ghost', 'VirtualMachineNotFound');
      await eventually(async () => {
        const { items } = await client.list(IP_LEASES, { namespace: theirs });
        expect(items.map(({ spec }) => [spec.vmRef?.namespace, spec.macAddress])).toEqual([[theirs, MAC]]);
      });
    },
  },
  {
    who: 'user',
    does: 'lets the CA sign the name of a BMC',
    attempt: bmc(mine, 'forged-tls', {
      virtualMachineRef: { name: 'other' },
      redfish: { tls: { dnsNames: [`${agentName('prod')}.${theirs}.svc`] } },
    }),
    hasNoEffect: async () => {
      await untilReason(VIRTUAL_MACHINE_BMCS, 'forged-tls', 'NamesNotAllowed');
      const { data = {} } = await eventually(() => client.get(SECRETS, inMine(certificateSecretName('forged-tls'))));
      const certificate = new X509Certificate(Buffer.from(data['tls.crt'] ?? '', 'base64'));
      expect(certificate.subjectAltName).not.toContain(theirs);
    },
  },
  {
    who: 'user',
    does: 'has an account with the name of an agent',
    attempt: async (as) => {
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inMine(agentName('prod')) };
      await as.create(SERVICE_ACCOUNTS, account);
      const namesake = await world.clientFor(inMine(agentName('prod')));
      await namesake.patch(VIRTUAL_MACHINES, inTheirs('prod'), 'merge', labelled);
    },
  },
  { who: 'agent of a BMC', does: 'reads a VM', attempt: (as) => as.get(VIRTUAL_MACHINES, inTheirs('prod')) },
  {
    who: 'agent of a BMC',
    does: 'changes a VM',
    attempt: (as) => as.patch(VIRTUAL_MACHINES, inTheirs('prod'), 'merge', labelled),
  },
  { who: 'agent of a BMC', does: 'starts a VM', attempt: start(theirs, 'prod') },
  { who: 'agent of a BMC', does: 'starts another VM of its namespace', attempt: start(mine, 'other') },
  { who: 'agent of a BMC', does: 'reads a Secret', attempt: (as) => as.get(SECRETS, inTheirs('prod-creds')) },
  {
    who: 'agent of a BMC',
    does: 'lists the Secrets of its own namespace',
    attempt: (as) => as.list(SECRETS, { namespace: mine }),
  },
  {
    who: 'agent of a BMC',
    does: 'gets a Secret of its own namespace into its VM',
    attempt: (as) =>
      as.patch(VIRTUAL_MACHINES, inMine('web'), 'json', [
        { op: 'add', path: '/spec/template/spec/volumes/-', value: { name: 's', secret: { secretName: 'web-creds' } } },
      ]),
  },
  {
    who: 'agent of a BMC',
    does: 'writes the status of a BMC',
    attempt: (as) =>
      as.patch(VIRTUAL_MACHINE_BMCS, inTheirs('prod-bmc'), 'merge', { status: {} }, { subresource: 'status' }),
  },
  {
    who: 'agent of a BMC',
    does: 'changes the spec of its BMC',
    attempt: (as) => as.patch(VIRTUAL_MACHINE_BMCS, inMine('web-bmc'), 'merge', labelled),
  },
  { who: 'agent of a BMC', does: 'lists pods', attempt: (as) => as.list(PODS, { namespace: mine }) },
  { who: 'DHCP agent', does: 'reads pools', attempt: (as) => as.list(IP_POOLS, { namespace: theirs }) },
  { who: 'DHCP agent', does: 'reads leases', attempt: (as) => as.list(IP_LEASES, { namespace: theirs }) },
  {
    who: 'DHCP agent',
    does: 'changes a pool, also of its own namespace',
    attempt: (as) => as.patch(IP_POOLS, inMine('pool'), 'merge', labelled),
  },
  { who: 'DHCP agent', does: 'reads Secrets', attempt: (as) => as.list(SECRETS, { namespace: mine }) },
  { who: 'DHCP agent', does: 'reads VMs', attempt: (as) => as.list(VIRTUAL_MACHINES, { namespace: mine }) },
  {
    who: 'DHCP agent',
    does: 'writes network configs',
    attempt: (as) => as.list(VIRTUAL_MACHINE_NETWORK_CONFIGS, { namespace: mine }),
  },
  {
    who: 'DHCP agent',
    does: 'writes an Event about a VM of its own namespace',
    attempt: (as) =>
      as.create(EVENTS, {
        ...{ apiVersion: 'v1', kind: 'Event', metadata: inMine('forged') },
        involvedObject: { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', ...inMine('web') },
        ...{ type: 'Warning', reason: 'Forged', message: 'forged', reportingComponent: 'groundcrew-agent-dhcp' },
      }),
  },
];

describe('between tenants', needs('helm'), () => {
  beforeAll(async () => {
    await world.standIns({ parts: ['kubevirt', 'deployments'] });
    await installMultus(client);
    await world.manager();
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
      await pool(namespace, name, `${namespace}/${network}`, { router: '10.48.0.1' })(client);
    }
    await client.create(VIRTUAL_MACHINES, {
      ...{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: inTheirs('wired') },
      spec: {
        runStrategy: 'Halted',
        template: {
          spec: {
            domain: { memory: { guest: '1Gi' }, devices: { interfaces: [{ name: 'n', bridge: {}, macAddress: MAC }] } },
            networks: [{ name: 'n', multus: { networkName: `${theirs}/shared` } }],
          },
        },
      },
    });
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
    clients.set('user', await world.clientFor(inMine('user')));
    clients.set('agent of a BMC', await world.clientFor(inMine(ofBmc)));
    clients.set('DHCP agent', await world.clientFor(inMine(ofDhcp)));
  });

  it('each account can do its own work', async () => {
    const as = (who: Row['who']) => clients.get(who) ?? expect.fail(who);
    await eventually(async () => {
      await as('user').patch(VIRTUAL_MACHINE_BMCS, inMine('web-bmc'), 'merge', labelled);
      await as('agent of a BMC').get(VIRTUAL_MACHINES, inMine('web'));
      await as('DHCP agent').list(IP_POOLS, { namespace: mine });
      await as('DHCP agent').apply(EVENTS, {
        ...{ apiVersion: 'v1', kind: 'Event', metadata: inMine('conflict') },
        involvedObject: { apiVersion: 'network.harvesterhci.io/v1alpha1', kind: 'IPPool', ...inMine('pool') },
        ...{ type: 'Warning', reason: 'AddressConflict', message: 'a', reportingComponent: 'groundcrew-agent-dhcp' },
      });
    });
  });

  it.each(rows)(
    'the $who of a namespace $does: nothing happens to another one',
    async ({ who, attempt, hasNoEffect }) => {
      const as = clients.get(who) ?? expect.fail(`there is no ${who}`);
      const refusal = await attempt(as).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refusal !== undefined) {
        // 400: by the schema or a webhook; 403: by RBAC or a policy; 422: by the schema.
        expect([400, 403, 422]).toContain(refusal instanceof ApiError ? refusal.status : refusal);
        return;
      }
      expect(
        hasNoEffect,
        'the API server accepts it, so the row must tell how to see that it has no effect',
      ).toBeDefined();
      await hasNoEffect?.();
    },
  );
});

import { X509Certificate } from 'node:crypto';
import { expect } from 'vitest';
import {
  agentName,
  certificateSecretName,
  IP_LEASES,
  IP_POOLS,
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
  SECRETS,
  SERVICE_ACCOUNTS,
} from '@groundcrew/controller-runtime';
import { eventually } from '../../harness/index.ts';
import { createPool, MAC, type Account, type TenancyScene } from './tenancy-scene.ts';

/** One attempt of an account of the namespace `mine` to reach the namespace `theirs`. */
export interface Attempt {
  who: Account;
  /** Completes the sentence. */
  does: string;
  attempt: (as: KubeClient) => Promise<unknown>;
  /** Of an attempt that the API server accepts: resolves when the manager has handled it, and throws if it has reached `theirs`. */
  hasNoEffect?: () => Promise<void>;
}

/** Makes an attempt. Throws if it is neither refused nor without effect. */
export async function expectNoEffect(scene: TenancyScene, { who, attempt, hasNoEffect }: Attempt): Promise<void> {
  const refusal = await attempt(scene.as(who)).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal !== undefined) {
    // 400: by the schema or a webhook; 403: by RBAC or a policy; 422: by the schema.
    expect([400, 403, 422]).toContain(refusal instanceof ApiError ? refusal.status : refusal);
    return;
  }
  expect(hasNoEffect, 'the API server accepts it, so the row must tell how to see that it has no effect').toBeDefined();
  await hasNoEffect?.();
}

const labelled = { metadata: { labels: { touched: 'true' } } };

/** All attempts. Add rows where a feature could cross namespaces. */
export function tenancyTable(scene: TenancyScene): readonly Attempt[] {
  const { world, client, mine, theirs, inMine, inTheirs } = scene;
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
  const pool =
    (namespace: string, name: string, networkName: string, config: object = {}) =>
    (as: KubeClient) =>
      createPool(as, { namespace, name }, networkName, config);
  const networkConfig = (name: string) => (as: KubeClient) =>
    as.create(VIRTUAL_MACHINE_NETWORK_CONFIGS, {
      ...{
        apiVersion: 'network.harvesterhci.io/v1alpha1',
        kind: 'VirtualMachineNetworkConfig',
        metadata: inMine(name),
      },
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
  return [
    { who: 'user', does: 'reads Secrets', attempt: (as) => as.list(SECRETS, { namespace: theirs }) },
    { who: 'user', does: 'creates a BMC', attempt: bmc(theirs, 'x', {}) },
    {
      who: 'user',
      does: 'changes a BMC',
      attempt: (as) => as.patch(VIRTUAL_MACHINE_BMCS, inTheirs('prod-bmc'), 'merge', labelled),
    },
    {
      who: 'user',
      does: 'asks for a BMC by the annotation of a VM',
      attempt: (as) =>
        as.patch(VIRTUAL_MACHINES, inTheirs('prod'), 'merge', {
          metadata: { annotations: { 'bmc.kubevirt.io/enabled': 'true' } },
        }),
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
        virtualMachineRef: { name: 'spare' },
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
          {
            op: 'add',
            path: '/spec/template/spec/volumes/-',
            value: { name: 's', secret: { secretName: 'web-creds' } },
          },
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
    {
      who: 'user',
      does: 'reads an address that only the manager can look up, by the NTP server of a pool',
      attempt: pool(mine, 'clock', `${mine}/lan`, {
        ntp: ['localhost'],
        pool: { start: '10.48.0.211', end: '10.48.0.220' },
      }),
      hasNoEffect: () =>
        eventually(async () => {
          const { items } = await client.list(EVENTS, { namespace: mine });
          const [event] = items.filter(({ involvedObject }) => involvedObject.name === 'clock');
          expect(event?.message).toContain('The NTP server localhost has no address');
          expect(JSON.stringify(await client.get(IP_POOLS, inMine('clock')))).not.toContain('127.0.0');
        }),
    },
  ];
}

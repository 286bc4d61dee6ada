import {
  IP_LEASES,
  leaseName,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type IPLease,
  type VirtualMachine,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import type { Draft, KubeClient, KubeObject } from '@groundcrew/controller-runtime';
import { addressText, macText } from '../dhcp/addresses.ts';
import { POOL_REF } from '../dhcp/contenders/groundcrew.ts';

const { namespace, name: POOL } = POOL_REF;

/** No name is a part of another. */
const machineName = (index: number): string => `vm-${String(index).padStart(5, '0')}`;

export async function createNetwork(client: KubeClient): Promise<void> {
  await client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: POOL_REF,
    spec: { config: JSON.stringify({ cniVersion: '1.0.0', type: 'bridge', bridge: POOL }) },
  });
}

/** A virtual machine with one interface, for which the manager makes a VirtualMachineNetworkConfig. */
export async function createMachine(client: KubeClient, index: number): Promise<VirtualMachine> {
  return await client.create(VIRTUAL_MACHINES, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace, name: machineName(index) },
    spec: {
      runStrategy: 'Manual',
      template: {
        spec: {
          domain: { devices: { interfaces: [{ name: 'lan', bridge: {}, macAddress: macText(index) }] } },
          networks: [{ name: 'lan', multus: { networkName: POOL } }],
        },
      },
    },
  });
}

/** What the manager has made for the first virtual machine. */
export interface Pattern {
  machine: VirtualMachine;
  config: VirtualMachineNetworkConfig;
  lease: IPLease;
}

export async function patternOf(client: KubeClient): Promise<Pattern> {
  const ref = { namespace, name: machineName(0) };
  return {
    machine: await client.get(VIRTUAL_MACHINES, ref),
    config: await client.get(VIRTUAL_MACHINE_NETWORK_CONFIGS, ref),
    lease: await client.get(IP_LEASES, { namespace, name: leaseName(POOL, addressText(0)) }),
  };
}

/** Creates a virtual machine with the objects that the manager would make for it, in its place: four writes. */
export async function copyMachine(client: KubeClient, pattern: Pattern, index: number): Promise<void> {
  const machine = await createMachine(client, index);
  const replaced: [string, string | undefined][] = [
    [machineName(0), machineName(index)],
    [macText(0), macText(index)],
    [addressText(0), addressText(index)],
    [pattern.machine.metadata.uid ?? '', machine.metadata.uid],
  ];
  const config = await client.create(VIRTUAL_MACHINE_NETWORK_CONFIGS, copyOf(pattern.config, replaced));
  const { status } = copyOf(pattern.config, replaced, ['status']);
  await client.patch(
    VIRTUAL_MACHINE_NETWORK_CONFIGS,
    { namespace, name: machineName(index) },
    'merge',
    { status },
    { subresource: 'status' },
  );
  replaced.push([pattern.config.metadata.uid ?? '', config.metadata.uid]);
  await client.create(IP_LEASES, copyOf(pattern.lease, replaced));
}

/** A copy with other texts, without what the server sets. */
function copyOf<T extends KubeObject>(
  object: T,
  replaced: readonly (readonly [string, string | undefined])[],
  kept: readonly string[] = ['spec'],
): T & Draft<T> {
  const { apiVersion, kind } = object;
  const { namespace: into, name, labels, annotations, finalizers, ownerReferences } = object.metadata;
  const metadata = { namespace: into, name, labels, annotations, finalizers, ownerReferences };
  const rest = Object.fromEntries(Object.entries(object).filter(([field]) => kept.includes(field)));
  let text = JSON.stringify({ apiVersion, kind, metadata, ...rest });
  for (const [before, after = ''] of replaced) text = text.replaceAll(before, after);
  return JSON.parse(text) as T & Draft<T>; // the text of an object of this type
}

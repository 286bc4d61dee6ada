import {
  agentName,
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { inTurn } from '../../harness/in-turn.ts';

export type Placement = 'Dedicated' | 'Shared';

/** Namespace of the fleet. */
export const NAMESPACE = 'fleet';
const NETWORK = 'lan';
/** Objects that are created in parallel. */
const AT_ONCE = 16;

/** `vm-0001`, … */
export function vmNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `vm-${String(index + 1).padStart(4, '0')}`);
}

/** Name of the Service of a VM's BMC. */
export function serviceOf(vm: string): string {
  return agentName(vm);
}

/** Creates a VM network with a pool of 62,000 addresses. */
export async function createNetwork(client: KubeClient): Promise<void> {
  const metadata = { name: NETWORK, namespace: NAMESPACE };
  const config = JSON.stringify({ cniVersion: '0.3.1', name: NETWORK, type: 'bridge', bridge: 'br-lan' });
  await client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata,
    spec: { config },
  });
  await client.create(IP_POOLS, {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata,
    spec: {
      networkName: `${NAMESPACE}/${NETWORK}`,
      ipv4Config: {
        cidr: '10.200.0.0/16',
        serverIP: '10.200.0.2',
        router: '10.200.0.1',
        pool: { start: '10.200.1.1', end: '10.200.250.250' },
        leaseTime: 3600,
        // No server provides the file: VMs ask for it and then boot from disk.
        netboot: {
          nextServer: '10.200.0.3',
          bootFiles: { bios: 'undionly.kpxe', ipxe: 'http://10.200.0.3/boot.ipxe' },
        },
      },
    },
  });
}

/** Whether the VM at an index of a fleet is one of those whose power is cycled; they are spread evenly. */
export function isCycled(index: number, { vms, cycled }: { vms: number; cycled: number }): boolean {
  return Math.floor(((index + 1) * cycled) / vms) > Math.floor((index * cycled) / vms);
}

/**
 * Creates VMs, each with a disk, a network card and a BMC. All are off, except that every second of those that are cycled has the run
 * strategy Once: KubeVirt starts it, and cannot restart it.
 *
 * @param onCreated called after each
 */
export async function createFleet(
  client: KubeClient,
  names: readonly string[],
  { placement, ...sizes }: { placement: Placement; vms: number; cycled: number },
  onCreated: () => void,
): Promise<void> {
  const cycled = names.filter((_, index) => isCycled(index, sizes));
  const once = new Set(cycled.filter((_, index) => index % 2 === 1));
  await inTurn(names.entries(), AT_ONCE, async ([index, name]) => {
    await client.create(VIRTUAL_MACHINES, virtualMachine(name, index + 1, once.has(name) ? 'Once' : 'Manual'));
    await client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { name, namespace: NAMESPACE },
      spec: { virtualMachineRef: { name }, placement },
    });
    onCreated();
  });
}

function virtualMachine(name: string, number: number, runStrategy: 'Manual' | 'Once') {
  const mac = `02:00:00:00:${hex(number >> 8)}:${hex(number)}`;
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      runStrategy,
      template: {
        // Simulates a guest agent, so that the status of the instance shows the leased address.
        metadata: { annotations: { 'sandbox.kubevirt.io/guest-agent': 'true' } },
        spec: {
          domain: {
            memory: { guest: '1Gi' },
            devices: {
              disks: [{ name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 }],
              interfaces: [{ name: 'default', bridge: {}, macAddress: mac }],
            },
          },
          networks: [{ name: 'default', multus: { networkName: NETWORK } }],
          volumes: [{ name: 'root', containerDisk: { image: 'example.invalid/disk' } }],
        },
      },
    },
  };
}

function hex(value: number): string {
  return (value & 0xff).toString(16).padStart(2, '0');
}

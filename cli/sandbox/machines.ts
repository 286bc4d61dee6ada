import type { KubeObject } from '@groundcrew/controller-runtime';

/**
 * Manifests of the sandbox's built-in VMs `vm-1`, `vm-2`, …: each is off and has a disk, a CD-ROM, a network card on
 * the sandbox's VM network, and a BMC on 127.0.0.1. The BMC ports are `firstPort`, `firstPort + 1`, …: UDP for IPMI,
 * TCP for Redfish.
 */
export function sandboxMachines(count: number, firstPort: number): KubeObject[] {
  return Array.from({ length: count }, (_, index) => [
    virtualMachine(`vm-${index + 1}`, index + 1),
    virtualMachineBmc(`vm-${index + 1}`, firstPort + index),
  ]).flat();
}

/** MAC address of the network card of `vm-<number>`. */
export function sandboxMac(number: number): string {
  return `02:00:00:00:${hex(number >> 8)}:${hex(number)}`;
}

function virtualMachine(name: string, number: number): KubeObject & { spec: unknown } {
  const mac = sandboxMac(number);
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: SANDBOX_NAMESPACE },
    spec: {
      runStrategy: 'Manual',
      template: {
        // Simulates a guest agent, so that the status of the instance shows the leased address.
        metadata: { annotations: { 'sandbox.kubevirt.io/guest-agent': 'true' } },
        spec: {
          domain: {
            cpu: { cores: 2 },
            memory: { guest: '2Gi' },
            devices: {
              disks: [
                { name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 },
                { name: 'cd', cdrom: { bus: 'sata' } },
              ],
              interfaces: [{ name: 'default', bridge: {}, model: 'virtio', macAddress: mac }],
            },
          },
          networks: [{ name: 'default', multus: { networkName: SANDBOX_NETWORK } }],
          volumes: [
            { name: 'root', containerDisk: { image: 'quay.io/containerdisks/fedora:latest' } },
            { name: 'cd', containerDisk: { image: 'quay.io/kubevirt/virtio-container-disk:latest' } },
          ],
        },
      },
    },
  };
}

function virtualMachineBmc(name: string, port: number): KubeObject & { spec: unknown } {
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: { name, namespace: SANDBOX_NAMESPACE },
    spec: {
      virtualMachineRef: { name },
      service: { type: 'NodePort', nodePorts: { ipmi: port, redfish: port } },
    },
  };
}

function hex(value: number): string {
  return (value & 0xff).toString(16).padStart(2, '0');
}

/** Namespace of the sandbox's built-in objects. */
const SANDBOX_NAMESPACE = 'default';

const NAME = 'lan';

/** The net-attach-def of the sandbox's built-in VMs. */
export const SANDBOX_NETWORK = `${SANDBOX_NAMESPACE}/${NAME}`;

/** Manifests of the built-in VM network: a bridge and its address pool. */
export function sandboxNetwork(): (KubeObject & { spec: unknown })[] {
  const metadata = { name: NAME, namespace: SANDBOX_NAMESPACE };
  return [
    {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata,
      spec: { config: JSON.stringify({ cniVersion: '0.3.1', name: NAME, type: 'bridge', bridge: 'br-lan' }) },
    },
    {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata,
      spec: {
        networkName: SANDBOX_NETWORK,
        ipv4Config: {
          cidr: '192.168.100.0/24',
          serverIP: '192.168.100.2',
          router: '192.168.100.1',
          pool: { start: '192.168.100.10', end: '192.168.100.250' },
          dns: ['192.168.100.1'],
          domainName: 'lan.example',
          leaseTime: 3600,
          // No server provides these files: VMs show the boot file and boot from disk.
          netboot: {
            nextServer: '192.168.100.3',
            bootFiles: {
              bios: 'undionly.kpxe',
              'efi-x64': 'ipxe.efi',
              ipxe: 'http://192.168.100.3/boot.ipxe',
            },
          },
        },
      },
    },
  ];
}

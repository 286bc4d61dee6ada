import type { KubeObject } from '@groundcrew/controller-runtime';

/** Namespace of the sandbox's built-in objects. */
export const SANDBOX_NAMESPACE = 'default';

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

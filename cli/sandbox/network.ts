import type { KubeObject } from '@groundcrew/controller-runtime';

/** Namespace of all that the sandbox makes by itself. */
export const SANDBOX_NAMESPACE = 'default';

const NAME = 'lan';

/** The net-attach-def that the sandbox's own VMs are on. */
export const SANDBOX_NETWORK = `${SANDBOX_NAMESPACE}/${NAME}`;

/** Manifests of the sandbox's own VM network: a bridge, and the pool of its addresses. */
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
          // Nothing serves them here: VMs say what they were told to boot, and go on to their disks.
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

import type { VirtualMachine } from '../../api/index.ts';
import type { Draft } from '@groundcrew/controller-runtime';

/** Groundcrew reads only the name of a volume; KubeVirt requires a source. */
const DISK: { name: string; containerDisk: object } = {
  name: 'root',
  containerDisk: { image: 'example.invalid/disk' },
};

/** The virtual machine of a BMC that is measured: a disk and a network card. */
export function benchMachine(
  metadata: { namespace: string; name: string },
  runStrategy: 'Always' | 'Manual',
): Draft<VirtualMachine> {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata,
    spec: {
      runStrategy,
      template: {
        spec: {
          domain: {
            memory: { guest: '1Gi' },
            devices: {
              disks: [{ name: 'root', bootOrder: 1, disk: { bus: 'virtio' } }],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [DISK],
        },
      },
    },
  };
}

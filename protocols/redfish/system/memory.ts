import type { Hardware } from '../../machine/index.ts';
import { WELL } from './health.ts';
import type { Part } from './part.ts';

/** The memory as one part; there are no modules. */
export function memoryOf({ memoryBytes }: Hardware): Part[] {
  const size = memoryBytes === undefined ? null : Math.floor(memoryBytes / 2 ** 20);
  return [
    {
      id: '1',
      resource: {
        type: 'Memory.v1_23_0.Memory',
        read: () => ({
          Id: '1',
          Name: 'Memory',
          MemoryType: 'DRAM',
          CapacityMiB: size,
          VolatileSizeMiB: size,
          Status: WELL,
        }),
      },
    },
  ];
}

import type { Hardware } from '../../machine/index.ts';
import { WELL } from './health.ts';
import type { Part } from './part.ts';

const ARCHITECTURES = { 'x86-64': 'x86', arm64: 'ARM' } as const;
const INSTRUCTION_SETS = { 'x86-64': 'x86-64', arm64: 'ARM-A64' } as const;

/** One for each socket; a single one with all vCPUs if the sockets are not known. */
export function processorsOf({ topology, cpuCount, cpuModel, architecture }: Hardware): Part[] {
  const threads = topology === undefined ? cpuCount : topology.cores * topology.threads;
  return Array.from({ length: topology?.sockets ?? 1 }, (_, index) => {
    const id = String(index + 1);
    return {
      id,
      resource: {
        type: 'Processor.v1_22_0.Processor',
        read: () => ({
          Id: id,
          Name: `Processor ${id}`,
          ProcessorType: 'CPU',
          ProcessorArchitecture: architecture === undefined ? null : ARCHITECTURES[architecture],
          InstructionSet: architecture === undefined ? null : INSTRUCTION_SETS[architecture],
          Model: cpuModel ?? null,
          TotalCores: topology?.cores ?? null,
          TotalThreads: threads ?? null,
          // KubeVirt guarantees no clock rate, and none is measured.
          MaxSpeedMHz: null,
          Status: WELL,
        }),
      },
    };
  });
}

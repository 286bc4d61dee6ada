import type { Images } from '@groundcrew/kubevirt-simulator/kubelet';

/** Node's options in the image, so that an agent of the sandbox needs as much memory as one in a cluster. */
const NODE_OPTIONS = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=20',
  '--no-maglev',
  '--bytecode-old-age=2',
  '--no-parallel-scavenge',
  '--no-concurrent-array-buffer-sweeping',
  '--expose-gc',
  '--experimental-ffi',
  '--disable-warning=ExperimentalWarning',
];

/** The image's environment. */
const ENVIRONMENT = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '65536' };

/** The image of the agents: this program, run as in the image. */
export function agentImage(program: string): Images[string] {
  return { command: [process.execPath, ...NODE_OPTIONS, program], environment: ENVIRONMENT };
}

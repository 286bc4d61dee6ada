import { readFileSync } from 'node:fs';
import { descendantsOf, type ProcessIdentity } from '../../harness/sandbox/descendants.ts';
import { memoryOf, processorTimeOf } from '../facts.ts';

/** Milliseconds between two samples. */
const INTERVAL = 500;

/** One process of the fleet over time. */
export interface ProcessRecord {
  pid: number;
  role: string;
  /** `performance.now()` and MB. */
  memory: [time: number, resident: number][];
  /** Processor time in ms at the last sample. */
  processorTime: number;
}

/** What a process is, by its command line and the name of its pod. */
export function roleOf(command: string, pod: string): string | undefined {
  if (/ agent bmc /.test(command)) return `BMC agent ${pod}`;
  if (/ agent dhcp /.test(command)) return `DHCP agent ${pod}`;
  if (/groundcrew\.js manager /.test(command)) return 'manager';
  if (command.includes('api-server-program.ts')) return 'API server (embedded)';
  if (command.includes('simulator-program.ts')) return 'simulator of KubeVirt, node and networks';
  return /\/(kube-apiserver|etcd|kube-controller-manager)( |$)/.exec(command)?.[1];
}

/** Samples memory and processor time of this process and of its descendants that have a role. */
export class Processes {
  /** By pid and start time. */
  readonly #records = new Map<string, ProcessRecord>();
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.sample();
    this.#timer = setInterval(() => {
      this.sample();
    }, INTERVAL);
  }

  get records(): readonly ProcessRecord[] {
    return [...this.#records.values()];
  }

  sample(): void {
    this.#add(`${process.pid}`, process.pid, 'load generator');
    for (const identity of descendantsOf(process.pid)) {
      const { pid, startTime, command } = identity;
      const key = `${pid} ${startTime}`;
      // Between fork and exec a process has the command line of its parent.
      const role = roleOf(command, podOf(identity));
      if (role !== undefined) this.#add(key, pid, role);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #add(key: string, pid: number, role: string): void {
    try {
      const record = this.#records.get(key) ?? { pid, role, memory: [], processorTime: 0 };
      record.memory.push([performance.now(), memoryOf(pid)]);
      record.processorTime = processorTimeOf(pid);
      record.role = role;
      this.#records.set(key, record);
    } catch {
      // It has ended since it was listed.
    }
  }
}

/** The process of a pod of the simulated node; undefined while it does not run. */
export function processOf(node: number, pod: string): ProcessIdentity | undefined {
  return descendantsOf(node).find((identity) => podOf(identity) === pod);
}

/** When a process has started, as `performance.now()`; proc_pid_stat(5) has it in hundredths of a second since boot. */
export function startOf({ startTime }: ProcessIdentity): number {
  const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  return performance.now() - (uptime * 1000 - Number(startTime) * 10);
}

/** The simulated kubelet sets HOSTNAME, as a container runtime does. */
function podOf({ pid }: ProcessIdentity): string {
  try {
    return /(?:^|\0)HOSTNAME=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

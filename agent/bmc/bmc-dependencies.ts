import type { BMCDefaults } from '../../api/index.ts';
import type { Clock, EventRecorder, KubeClient, Logger } from '@groundcrew/controller-runtime';
import type { HostDependencies } from '../../protocols/hosts/index.ts';
import type { DeviceInfo } from '../../protocols/ipmi/index.ts';
import type { OpenConsoleSocket } from './console/index.ts';
import type { ObjectWatches } from './watches/index.ts';

/** What all BMCs of a process share. */
export interface BmcDependencies {
  client: KubeClient;
  watches: ObjectWatches;
  events: EventRecorder;
  /** The pod that this runs in: it acts unasked for BMCs whose status names it. */
  podName: string;
  /** Local addresses to listen on. */
  addresses: readonly string[];
  deviceInfo: DeviceInfo;
  /** Of groundcrew: `1.2.3`. Default `0.0`. */
  version?: string;
  /** Ends the process so that it starts anew. Default: nothing happens. */
  restart?: () => void;
  /** Connects to serial consoles. */
  openConsole: OpenConsoleSocket;
  /** What may be connected to for clients, beside what each BMC says. */
  hosts: HostDependencies;
  defaults?: BMCDefaults;
  /** Whether metrics.k8s.io may be asked what a VM uses. Default false. */
  metrics?: boolean;
  clock: Clock;
  /** ms of a clock that never goes back. */
  now: () => number;
  random: (size: number) => Buffer;
  logger: Logger;
}

import type { BMCDefaults } from '../../api/index.ts';
import type { Clock, EventRecorder, KubeClient, Logger } from '@groundcrew/controller-runtime';
import type { HostDependencies } from '../../protocols/hosts/index.ts';
import type { DeviceInfo } from '../../protocols/ipmi/index.ts';
import type { OpenConsoleSocket } from './kubevirt/index.ts';
import type { ObjectWatches } from './objects/named-watches.ts';

/** Dependencies shared by all BMCs of a process. */
export interface BmcDependencies {
  client: KubeClient;
  watches: ObjectWatches;
  events: EventRecorder;
  /** The pod of this process. It is the acting agent of BMCs whose status names it. */
  podName: string;
  /** Local addresses to listen on. */
  addresses: readonly string[];
  deviceInfo: DeviceInfo;
  /** Version of groundcrew: `1.2.3`. Default `0.0`. */
  version?: string;
  /** Ends the process so that Kubernetes restarts it. Default: no effect. */
  restart?: () => void;
  /** Connects to serial consoles. */
  openConsole: OpenConsoleSocket;
  /** Hosts that the agent may connect to for clients, in addition to those of each BMC. */
  hosts: HostDependencies;
  defaults?: BMCDefaults;
  /** Whether to read the resource usage of VMs from metrics.k8s.io. Default false. */
  metrics?: boolean;
  clock: Clock;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  random: (size: number) => Buffer;
  logger: Logger;
}

import type { NetworkNamespace } from '../../../harness/namespaces/index.ts';
import type { ToolName } from '../../../tools/index.ts';

/** What a client made of an acknowledgement, in the words of none of them. */
export interface Binding {
  /** With its prefix: `10.77.1.1/16`. */
  address: string;
  server: string;
  /** Seconds. */
  leaseTime: number;
  router: string;
  dns: string[];
  domain: string;
  search: string[];
  ntp: string[];
  mtu: number;
  hostname: string;
  /** `192.168.5.0/24 10.77.0.253`. */
  routes: string[];
}

/** A call that a client made of its hook script. */
export interface HookCall {
  reason: string;
  variables: Readonly<Record<string, string>>;
}

export interface ClientOptions {
  namespace: NetworkNamespace;
  device: string;
  /** Where its leases, configuration and log are: a client that comes back to it remembers. */
  folder: string;
  /** Whether it asks for classless routes (RFC 3442); default true, as systems do. Heeded by udhcpc. */
  classlessRoutes?: boolean;
  /** Whether it asks by ARP who else has the address before it takes it, and declines it then; default false. Heeded by udhcpc. */
  checksAddress?: boolean;
}

/** A DHCP client as it is told to run and as it tells what it got. */
export interface ClientKind {
  tool: ToolName;
  /** Program and arguments that keep running in the foreground; writes what they need to the folder. */
  commandLine(options: ClientOptions & { hook: string }): readonly [string, ...string[]];
  /** Shell with which its hook gives the interface its address; empty for a client that does so by itself. */
  configure: string;
  /** The binding that a hook call reports; undefined for one that reports something else. */
  bindingOf(call: HookCall): Binding | undefined;
  /** Whether a hook call reports that the address is gone: NAK, expiry or release. */
  isLoss(call: HookCall): boolean;
  /** Signal by which it renews before its time; absent: it has none, and waits for T1. */
  renewSignal?: NodeJS.Signals;
  /** Gives the lease back: by a signal, or by another run of the program. */
  release: NodeJS.Signals | ((options: ClientOptions & { hook: string }) => readonly [string, ...string[]]);
  /** Whether it asks for its former address first when it starts (INIT-REBOOT). */
  remembers: boolean;
}

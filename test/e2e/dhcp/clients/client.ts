import type { NetworkNamespace } from '../../../harness/namespaces/index.ts';
import type { ToolName } from '../../../tools/index.ts';

/** The settings that a client applied after an ACK, in a common format. */
export interface Binding {
  /** With prefix length: `10.77.1.1/16`. */
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

/** A call of the hook script by a client. */
export interface HookCall {
  reason: string;
  variables: Readonly<Record<string, string>>;
}

export interface ClientOptions {
  namespace: NetworkNamespace;
  device: string;
  /** Folder of its leases, configuration and log; a client with the same folder remembers its lease. */
  folder: string;
  /** Whether it requests classless routes (RFC 3442); default true, as in operating systems. Only for udhcpc. */
  classlessRoutes?: boolean;
  /**
   * Whether it checks the address with ARP before use and declines it on a conflict; default false. Only for udhcpc.
   */
  checksAddress?: boolean;
}

/** How to run a DHCP client and how to read its result. */
export interface ClientKind {
  tool: ToolName;
  /** Program and arguments that run in the foreground; writes required files to the folder. */
  commandLine(options: ClientOptions & { hook: string }): readonly [string, ...string[]];
  /** Shell code with which its hook configures the interface; empty if the client does that itself. */
  configure: string;
  /** The binding in a hook call; undefined if the call reports something else. */
  bindingOf(call: HookCall): Binding | undefined;
  /** Whether a hook call reports the loss of the address: NAK, expiry or release. */
  isLoss(call: HookCall): boolean;
  /** Signal that triggers a renewal; absent: it renews only at T1. */
  renewSignal?: NodeJS.Signals;
  /** Releases the lease: by a signal, or by another run of the program. */
  release: NodeJS.Signals | ((options: ClientOptions & { hook: string }) => readonly [string, ...string[]]);
  /** Whether it requests its previous address at the start (INIT-REBOOT). */
  remembers: boolean;
}

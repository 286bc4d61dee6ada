import type { Accounts } from '../accounts.ts';
import type { Machine } from '../machine/index.ts';
import type { DeviceInfo } from './commands/device/get-device-id.ts';
import type { IpmiObserver } from './observer.ts';
import type { Peer } from './datagram.ts';
import type { CipherSuiteId } from './rmcpplus/cipher-suite.ts';
import type { LockoutPolicy } from '../logins/index.ts';
import type { SessionLimits } from './session/session-table.ts';
import type { SettingsStore } from './settings.ts';

export interface IpmiServerOptions extends Partial<SessionLimits> {
  machine: Machine;
  /** Read at each log-in. Accounts with names or passwords that IPMI does not support cannot log in. */
  accounts: Accounts;
  /** Whether log-ins are accepted now; open sessions continue. Default always. */
  admitsLogins?: () => boolean;
  /** The BMC key K_G, 1 to 20 bytes; if set, clients need it in addition to a password. */
  bmcKey?: () => Buffer | undefined;
  settings: SettingsStore;
  /** ms since 1970, of a clock that may be adjusted. */
  time: () => number;
  /** Cryptographically secure bytes, as `crypto.randomBytes`; called for each packet sent. */
  random: (size: number) => Buffer;
  deviceInfo: DeviceInfo;
  /** Suites to offer. With 17 only, clients that support only suite 3 cannot log in. */
  cipherSuites: readonly CipherSuiteId[];
  /** UUID for Get System GUID; default: the machine's. */
  guid?: string;
  /** UUID of the BMC for Get Device GUID; default: the machine's. */
  deviceGuid?: string;
  /** Whether this process runs the watchdog and the power-on counter; only one process of a BMC does. Default always. */
  acts?: () => boolean;
  /** ms after which one-time boot flags lapse unless a client starts a boot; 0 for never. Default 60 000, IPMI 2.0 §28.13. */
  bootFlagTimeout?: number;
  /**
   * UDP port for clients, in the response to Activate Payload: ipmitool and pyghmi open no console if it differs from the port that
   * they use. Default 623.
   */
  advertisedPort?: () => number;
  /** Default true. */
  serialOverLan?: boolean;
  /** IPMI 1.5 sessions, with MD5 only. Default false. */
  ipmi15?: boolean;
  /** Follows each event in the event log with two OEM records: the user and the source address of the request. Default false. */
  oemEventRecords?: boolean;
  /** Refuses an unknown user at the same step as a wrong password. Default false. */
  hideUserNames?: boolean;
  /** IPv4 address for clients, in the LAN configuration parameters; undefined while unknown. */
  lanAddress?: () => string | undefined;
  /** Lockout after wrong passwords; a threshold of 0 disables it. Default {@link DEFAULT_LOCKOUT}. */
  lockout?: LockoutPolicy;
  observer?: IpmiObserver;
  /**
   * Makes a function that runs in the context of the datagram that is handled now, whenever it is called. Work that may go on after
   * `handle` has returned is bound. `Machine.refresh` is not: mostly it has nothing to do. Default: there is no such context.
   */
  bind?: BindContext;
  /** Sends unsolicited datagrams, such as console output, to a `peer` that was passed to `handle`. Default: not sent. */
  outbox?: (datagram: Buffer, peer: Peer) => void;
  /** Runs a function after `delay` ms and returns a function to cancel it. Required for serial over LAN. */
  schedule?: Schedule;
  /** ms of the clock of `handle`, for unsolicited packets. Required for serial over LAN. */
  now?: () => number;
}

export type BindContext = <T extends unknown[], R>(work: (...values: T) => R) => (...values: T) => R;

export type Schedule = (work: () => void, delay: number) => () => void;

export const DEFAULT_PORT = 623;

/** ms */
export const DEFAULT_BOOT_FLAG_TIMEOUT = 60_000;

export const DEFAULT_LOCKOUT: LockoutPolicy = { threshold: 5, seconds: 60 };

export const DEFAULT_LIMITS: SessionLimits = {
  // The most that Get Session Info can count.
  maxSessions: 63,
  maxHalfOpen: 64,
  // Many clients may share one address (NAT); each needs a slot for some milliseconds.
  maxHalfOpenPerSource: 32,
  sessionTimeout: 60_000,
  halfOpenTimeout: 5_000,
};

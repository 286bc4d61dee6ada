import type { Accounts } from '../accounts.ts';
import type { Machine } from '../machine/index.ts';
import type { DeviceInfo } from './device-info.ts';
import type { IpmiObserver } from './observer.ts';
import type { Peer } from './peer.ts';
import type { CipherSuiteId } from './rmcpplus/cipher-suite.ts';
import type { LockoutPolicy } from '../logins/index.ts';
import type { SessionLimits } from './session/session-table.ts';
import type { SettingsStore } from './settings.ts';

export interface IpmiServerOptions extends Partial<SessionLimits> {
  machine: Machine;
  /** Asked at each log-in; names and passwords that IPMI cannot carry let nobody in. */
  accounts: Accounts;
  /** Whether anybody may log in now; sessions go on all the same. Default always. */
  admitsLogins?: () => boolean;
  /** The BMC's own key K_G, 1 to 20 bytes; clients then have to know it besides a password. */
  bmcKey?: () => Buffer | undefined;
  settings: SettingsStore;
  /** ms since 1970, of a clock that may be set. */
  time: () => number;
  /** Cryptographically secure bytes, as `crypto.randomBytes`. */
  random: (size: number) => Buffer;
  deviceInfo: DeviceInfo;
  /** Suites to offer. With 17 alone, clients that know only suite 3 stay out. */
  cipherSuites: readonly CipherSuiteId[];
  /** UUID that Get System GUID answers with; default the machine's. */
  guid?: string;
  /** UUID of the BMC itself, for Get Device GUID; default that of the machine. */
  deviceGuid?: string;
  /** Whether this process is the one that acts unasked, with the watchdog and the power-on counter. Default always. */
  acts?: () => boolean;
  /** ms after which boot flags for one boot lapse unless a client starts a boot; 0 for never. Default 60 000, IPMI 2.0 §28.13. */
  bootFlagTimeout?: number;
  /**
   * UDP port by which clients reach it, for Activate Payload: ipmitool and pyghmi open no console where it is not the one that they
   * use. Default 623.
   */
  advertisedPort?: () => number;
  /** Default true. */
  serialOverLan?: boolean;
  /** Sessions of IPMI 1.5, with MD5 alone. Default false. */
  ipmi15?: boolean;
  /** Lets a log-in of an unknown user fail as late as one with a wrong password. Default false. */
  hideUserNames?: boolean;
  /** IPv4 address by which clients reach it, for the LAN configuration parameters; undefined while unknown. */
  lanAddress?: () => string | undefined;
  /** What wrong passwords lead to; a threshold of 0 locks nobody out. Default {@link DEFAULT_LOCKOUT}. */
  lockout?: LockoutPolicy;
  observer?: IpmiObserver;
  /**
   * Sends what no packet asked for, such as the output of a console; to a `peer` that `handle` was given.
   * Default: nowhere.
   */
  outbox?: (datagram: Buffer, peer: Peer) => void;
  /** Does something after `delay` ms; what it gives back calls that off. Without it there is no serial over LAN. */
  schedule?: Schedule;
  /** ms of the clock that `handle` is given, for what happens unasked. Without it there is no serial over LAN. */
  now?: () => number;
}

export type Schedule = (work: () => void, delay: number) => () => void;

export const DEFAULT_PORT = 623;

/** ms */
export const DEFAULT_BOOT_FLAG_TIMEOUT = 60_000;

export const DEFAULT_LOCKOUT: LockoutPolicy = { threshold: 5, seconds: 60 };

export const DEFAULT_LIMITS: SessionLimits = {
  maxSessions: 64,
  maxHalfOpen: 64,
  // All clients of a cluster may come from one node's address; each needs its place for some milliseconds.
  maxHalfOpenPerSource: 32,
  sessionTimeout: 60_000,
  halfOpenTimeout: 5_000,
};

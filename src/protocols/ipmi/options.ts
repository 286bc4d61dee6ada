import type { Accounts } from '../accounts.ts';
import type { Machine } from '../machine/index.ts';
import type { DeviceInfo } from './device-info.ts';
import type { IpmiObserver } from './observer.ts';
import type { CipherSuiteId } from './rmcpplus/cipher-suite.ts';
import type { SessionLimits } from './session/session-table.ts';
import type { SettingsStore } from './settings.ts';

export interface IpmiServerOptions extends Partial<SessionLimits> {
  machine: Machine;
  /** Asked at each log-in; names and passwords that IPMI cannot carry let nobody in. */
  accounts: Accounts;
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
  /** ms after which boot flags for one boot lapse unless a client starts a boot; 0 for never. Default 60 000, IPMI 2.0 §28.13. */
  bootFlagTimeout?: number;
  /** UDP port by which clients reach it, where that is not the one that it is bound to; for Activate Payload. */
  advertisedPort?: number;
  /** Default true. */
  serialOverLan?: boolean;
  /** Sessions of IPMI 1.5, with MD5 alone. Default false. */
  ipmi15?: boolean;
  /** Lets a log-in of an unknown user fail as late as one with a wrong password. Default false. */
  hideUserNames?: boolean;
  /** What wrong passwords lead to; a threshold of 0 locks nobody out. Default {@link DEFAULT_LOCKOUT}. */
  lockout?: { threshold: number; seconds: number };
  observer?: IpmiObserver;
}

/** ms */
export const DEFAULT_BOOT_FLAG_TIMEOUT = 60_000;

export const DEFAULT_LOCKOUT = { threshold: 5, seconds: 60 };

export const DEFAULT_LIMITS: SessionLimits = {
  maxSessions: 64,
  maxHalfOpen: 64,
  // All clients of a cluster may come from one node's address; each needs its place for some milliseconds.
  maxHalfOpenPerSource: 32,
  sessionTimeout: 60_000,
  halfOpenTimeout: 5_000,
};

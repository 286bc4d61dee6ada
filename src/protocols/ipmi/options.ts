import type { Machine } from '../machine.ts';
import type { DeviceInfo } from './device-info.ts';
import type { IpmiObserver } from './observer.ts';
import type { CipherSuiteId } from './rmcpplus/cipher-suite.ts';
import type { Credentials } from './session/account.ts';
import type { SessionLimits } from './session/session-table.ts';

export interface IpmiServerOptions extends Partial<SessionLimits> {
  machine: Machine;
  /** Asked at each log-in; undefined, or what IPMI cannot carry, lets nobody in. */
  credentials: () => Credentials | undefined;
  /** Cryptographically secure bytes, as `crypto.randomBytes`. */
  random: (size: number) => Buffer;
  deviceInfo: DeviceInfo;
  /** Suites to offer. With 17 alone, clients that know only suite 3 stay out. */
  cipherSuites: readonly CipherSuiteId[];
  /** UUID that Get System GUID answers with; default the machine's. */
  guid?: string;
  /** ms after which boot flags for one boot lapse unless a client starts a boot; 0 for never. Default 60 000, IPMI 2.0 §28.13. */
  bootFlagTimeout?: number;
  observer?: IpmiObserver;
}

/** ms */
export const DEFAULT_BOOT_FLAG_TIMEOUT = 60_000;

export const DEFAULT_LIMITS: SessionLimits = {
  maxSessions: 64,
  maxHalfOpen: 64,
  // All clients of a cluster may come from one node's address; each needs its place for some milliseconds.
  maxHalfOpenPerSource: 32,
  sessionTimeout: 60_000,
  halfOpenTimeout: 5_000,
};

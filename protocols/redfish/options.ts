import type { Accounts } from '../accounts.ts';
import type { HostDependencies } from '../hosts/index.ts';
import type { Machine, Requester } from '../machine/index.ts';
import type { RedfishStateStore } from './state.ts';

/** What a Redfish service stands on. Everything that it does not know by itself is passed in. */
export interface RedfishOptions {
  machine: Machine;
  accounts: Accounts;
  state: RedfishStateStore;
  /** UUID of the BMC itself, lower case with dashes. */
  serviceUuid: string;
  /** Where the BMC can be reached, as far as that is known now. */
  network: () => ManagerNetwork;
  /** Of the BMC's own software. */
  version: string;
  /** What serves HTTPS now, as PEM, the server's own first; empty while there is none. */
  certificates: () => readonly string[];
  /** Deprecated properties that older clients read are shown. */
  legacyProperties: () => boolean;
  /** Wrong passwords until a user is locked out, 0: never; and for how many seconds. What clients set goes before it. */
  lockout: () => { threshold: number; seconds: number };
  /** Whether new sessions are let in. */
  admitsLogins: () => boolean;
  /** Ends the BMC's process so that it starts anew: Manager.Reset. */
  restart: () => void;
  /** Where events may be sent. */
  listeners: ListenerPolicy;
  observer: RedfishObserver;
  random: (size: number) => Buffer;
  /** ms since 1970 */
  time: () => number;
  /** ms of a clock that never goes back */
  now: () => number;
  /** Calls `work` after `delay` ms; returns what cancels that. */
  schedule: (work: () => void, delay: number) => () => void;
}

export interface ManagerNetwork {
  /** Without domain. */
  hostName: string;
  fqdn?: string;
  /** Addresses that the BMC is reached by. */
  addresses: readonly string[];
  httpsPort: number;
  /** Undefined: plain HTTP is not served; null: it is, at a port that is not known. */
  httpPort?: number | null;
  /** Undefined: IPMI is not served. */
  ipmiPort?: number;
}

/** Whom a BMC, which stands in a cluster, may send events to on behalf of its clients, who do not. */
export interface ListenerPolicy extends HostDependencies {
  /** Names or addresses, with a port or without. Empty: all but those that nothing is sent to unasked. */
  allowedHosts: () => readonly string[];
  /** Certificates to trust instead of those that Node does, PEM, of listeners that are verified. @throws MachineError */
  authorities?: () => Promise<readonly string[] | undefined>;
}

/** Is told of what people want to know. Returns at once and does not throw. */
export interface RedfishObserver {
  loggedIn(requester: Requester): void;
  loginFailed(requester: Requester, why: 'UnknownUser' | 'WrongPassword' | 'LockedOut' | 'Refused'): void;
  /** An account, a session of somebody else, or a setting was changed; a sentence. */
  audited(requester: Requester, what: string): void;
  /** An event could not be sent to a listener, for another reason than the one before. @param why half a sentence */
  undelivered(destination: string, why: string): void;
  /** The service itself has ended a subscription, or suspended it: nothing is sent to the listener until somebody does something. */
  unsubscribed(destination: string, how: SubscriptionEnd): void;
  /** A request ended in an error of ours. */
  failed(error: unknown, method: string, uri: string): void;
}

/**
 * - `Terminated`, `Suspended`: all tries failed, and its policy says so.
 * - `AccountGone`: the account that made it was removed.
 */
export type SubscriptionEnd = 'Terminated' | 'Suspended' | 'AccountGone';

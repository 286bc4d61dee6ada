import type { RequestListener } from 'node:http';
import type { Accounts } from '../accounts.ts';
import type { HostDependencies } from '../hosts/index.ts';
import type { Machine, Requester } from '../machine/index.ts';
import type { ConsoleKind } from './consoles/console-register.ts';
import type { RedfishStateStore } from './state.ts';

/** Dependencies of a Redfish service. All of them are passed in. */
export interface RedfishOptions {
  machine: Machine;
  accounts: Accounts;
  state: RedfishStateStore;
  /** UUID of the BMC itself, lower case with dashes. */
  serviceUuid: string;
  /** The BMC's current network configuration, as far as known. */
  network: () => ManagerNetwork;
  /** Version of the BMC software. */
  version: string;
  /** The current HTTPS certificate chain as PEM, server certificate first; empty: none. */
  certificates: () => readonly string[];
  certificateOwner: CertificateOwner;
  /** Switches IPMI and plain HTTP on or off; absent: no change. `network` shows it when it resolves. @throws MachineError */
  switchServices: (change: { ipmi?: boolean; http?: boolean }) => Promise<void>;
  /** What browsers get beside `/redfish`; absent: nothing. */
  webConsole?: WebConsoleOptions;
  /** Whether deprecated properties for older clients are shown. */
  legacyProperties: () => boolean;
  /** The watchdog timer that IPMI clients set; undefined: it was never set. */
  watchdog: () => WatchdogState | undefined;
  /** Wrong passwords until a user is locked out, 0: never; and the duration in seconds. Settings of clients take precedence. */
  lockout: () => { threshold: number; seconds: number };
  /** Whether new sessions are admitted. */
  admitsLogins: () => boolean;
  /** Restarts the BMC's process: Manager.Reset. */
  restart: () => void;
  /** Allowed destinations of events. */
  listeners: ListenerPolicy;
  observer: RedfishObserver;
  random: (size: number) => Buffer;
  /** ms since 1970 */
  time: () => number;
  /** ms of a monotonic clock */
  now: () => number;
  /** Calls `work` after `delay` ms; returns the function that cancels it. */
  schedule: (work: () => void, delay: number) => () => void;
}

export interface WebConsoleOptions {
  /** Open consoles end within seconds after it is switched off. */
  isEnabled: () => boolean;
  /** Answers requests outside of `/redfish`; absent: 404. */
  pages?: RequestListener;
  /** Calls `work` for messages of a WebSocket when it may begin, or `refuse`: it is tried again. Default: at once. */
  pace?: (work: () => void, refuse: () => void) => void;
}

export interface WatchdogState {
  readonly isRunning: boolean;
  /** What happens to the machine when it expires. */
  readonly action: 'None' | 'Reset' | 'PowerDown' | 'PowerCycle';
}

/** Makes and replaces the HTTPS certificate for clients. */
export interface CertificateOwner {
  /** Stores a new private key. @returns the request for its certificate, PKCS #10, PEM @throws MachineError */
  request(contents: CertificateRequest): Promise<string>;
  /**
   * Shows another certificate from now on.
   *
   * @param text the certificate and those of its issuers, PEM; with its private key, unless that is of the last request
   * @param passphrase of the private key
   * @throws MachineError `NotSupported`: it cannot be used; `InvalidState`: the owner of the BMC names one
   */
  replace(text: string, passphrase?: string): Promise<void>;
}

/** The contents of a request for a certificate. */
export interface CertificateRequest {
  /** Attributes of the distinguished name by their short names, in order: `['CN', 'bmc.example']`. */
  readonly subject: readonly (readonly [attribute: string, value: string])[];
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  /** The curve of an ECDSA key, or the bits of an RSA key. */
  readonly key: 'P-256' | 'P-384' | number;
}

export interface ManagerNetwork {
  /** Without domain. */
  hostName: string;
  fqdn?: string;
  /** Addresses of the BMC. */
  addresses: readonly string[];
  httpsPort: number;
  /** Undefined: plain HTTP is not served; null: served at an unknown port. */
  httpPort?: number | null;
  /** Undefined: IPMI is not served. */
  ipmiPort?: number;
}

/** Destinations of events. The BMC may reach hosts that its clients cannot reach. */
export interface ListenerPolicy extends HostDependencies {
  /** Names or addresses, with or without port. Empty: all except special-purpose addresses. */
  allowedHosts: () => readonly string[];
  /** CA certificates that replace Node's for verified listeners, PEM. @throws MachineError */
  authorities?: () => Promise<readonly string[] | undefined>;
  /** Where the owner sets `allowedHosts`, for messages to clients. */
  allowedHostsSetting: string;
  /** What the owner does so that the BMC trusts a listener's certificate, as half a sentence. */
  trustAdvice: string;
}

/** Callbacks for logs and audit. They return at once and do not throw. */
export interface RedfishObserver {
  loggedIn(requester: Requester): void;
  loginFailed(requester: Requester, why: 'UnknownUser' | 'WrongPassword' | 'LockedOut' | 'Refused'): void;
  /**
   * A request was answered.
   *
   * @param request an action (`ComputerSystem.Reset`), a method and a schema (`GET ComputerSystem`), `document`,
   * `WebSocket HostConsole`, or `other` for
   * what does not exist: clients choose paths, but these values are few
   * @param status of HTTP; the close code of a WebSocket that was closed at once
   */
  answered(request: string, status: number): void;
  /** An account, a session of another user, or a setting was changed; `what` is a sentence. */
  audited(requester: Requester, what: string): void;
  /** A user has opened or closed a console of the machine, or looks at its screen no more. */
  consoleChanged(requester: Requester, kind: ConsoleKind, isOpen: boolean): void;
  /** An event could not be delivered, for a reason other than the previous one. @param why half a sentence */
  undelivered(destination: string, why: string): void;
  /** The service has ended or suspended a subscription: its listener gets no events until a client acts. */
  unsubscribed(destination: string, how: SubscriptionEnd): void;
  /** A request failed with an internal error. */
  failed(error: unknown, method: string, uri: string): void;
}

/**
 * - `Terminated`, `Suspended`: all retries failed; by the subscription's policy.
 * - `AccountGone`: the account of the subscription was deleted.
 */
export type SubscriptionEnd = 'Terminated' | 'Suspended' | 'AccountGone';

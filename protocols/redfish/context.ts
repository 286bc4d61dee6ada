import type { Account } from '../accounts.ts';
import type { ConsoleRegister } from './consoles/console-register.ts';
import type { RedfishOptions } from './options.ts';
import type { StoredSession } from './state.ts';

/** Dependencies shared by the resources of a service. */
export interface RedfishContext {
  readonly options: RedfishOptions;
  /** Start of the service, ms since 1970. */
  readonly startedAt: number;
  readonly sessions: SessionRegister;
  readonly logins: Logins;
  readonly events: EventHub;
  /** Consoles that clients have open. */
  readonly consoles: Pick<ConsoleRegister, 'list' | 'find'>;
}

/** The open sessions. They survive a restart of the process. */
export interface SessionRegister {
  /** Active sessions, oldest first. */
  list(): readonly StoredSession[];
  find(id: string): StoredSession | undefined;
  /**
   * @param context text from the client
   * @throws RedfishError 503 if there are too many sessions, or no log-ins are admitted
   * @throws MachineError `Unavailable`: it cannot be stored
   */
  open(account: Account, address: string, context?: string): Promise<{ session: StoredSession; token: string }>;
  /**
   * @returns false: no session has this ID
   * @throws MachineError `Unavailable`
   */
  end(id: string): Promise<boolean>;
  /**
   * Ends the sessions of an account that was changed or deleted, except the session that made the change.
   *
   * @throws MachineError `Unavailable`; the sessions are invalid nevertheless
   */
  accountChanged(account: number, changedBy?: string): Promise<void>;
  /** Session timeout, seconds. */
  readonly timeout: number;
}

/** Log-ins by user name and password, and the lockout policy. */
export interface Logins {
  /** @throws RedfishError 401; 429 after too many wrong passwords from the source */
  logIn(userName: string, password: Buffer, address: string): Account;
  /** A session of the account was used from this address: wrong passwords of others at the address do not lock the account out there. */
  remember(account: number, address: string): void;
  /** Whether the account is locked out at any source. */
  isLockedOut(account: number): boolean;
  unlock(account: number): void;
  /** The current policy: settings of clients, otherwise the owner's. */
  readonly lockout: Lockout;
}

export interface Lockout {
  /** Wrong passwords until a user is locked out; 0: never. */
  readonly threshold: number;
  /** Seconds; 0: never. */
  readonly seconds: number;
  /** Seconds for which wrong passwords count; at most the lockout duration. */
  readonly countedFor: number;
}

/** An event for the listeners of the event service. */
export interface ServiceEvent {
  /** `ResourceEvent.1.4.ResourceChanged` */
  readonly messageId: string;
  readonly message: string;
  readonly messageArgs: readonly string[];
  readonly severity: 'OK' | 'Warning' | 'Critical';
  /** URI of the affected resource. */
  readonly origin?: string;
  readonly eventType?: 'Alert' | 'ResourceAdded' | 'ResourceRemoved' | 'ResourceUpdated' | 'StatusChange' | 'Other';
}

export interface EventHub {
  publish(event: ServiceEvent): void;
}

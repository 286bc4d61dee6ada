import type { Account } from '../accounts.ts';
import type { RedfishOptions } from './options.ts';
import type { StoredSession } from './state.ts';

/** What the resources of a service share. */
export interface RedfishContext {
  readonly options: RedfishOptions;
  readonly sessions: SessionRegister;
  readonly logins: Logins;
  readonly events: EventHub;
}

/** The sessions that there are. They outlive the process. */
export interface SessionRegister {
  /** Those that live, oldest first. */
  list(): readonly StoredSession[];
  find(id: string): StoredSession | undefined;
  /**
   * @param context what the client has to say of it
   * @throws RedfishError 503 where there are too many, or none is let in
   * @throws MachineError `Unavailable`: it cannot be stored
   */
  open(account: Account, address: string, context?: string): Promise<{ session: StoredSession; token: string }>;
  /**
   * @returns false: there is none of that ID
   * @throws MachineError `Unavailable`
   */
  end(id: string): Promise<boolean>;
  /**
   * Ends the sessions of an account that was changed or removed, but for the one by which that was done.
   *
   * @throws MachineError `Unavailable`; none of them is taken any more, though
   */
  accountChanged(account: number, changedBy?: string): Promise<void>;
  /** Seconds for which a session lives unused. */
  readonly timeout: number;
}

/** Who gets in by user name and password, and what wrong ones lead to. */
export interface Logins {
  /** @throws RedfishError 401; 429 where the source has sent too many wrong passwords */
  logIn(userName: string, password: Buffer, address: string): Account;
  /** Whether the account, by its ID, is locked out at some source. */
  isLockedOut(account: number): boolean;
  unlock(account: number): void;
  /** As it is now: what clients have set, and for the rest what the owner has. */
  readonly lockout: Lockout;
}

export interface Lockout {
  /** Wrong passwords until a user is locked out; 0: never. */
  readonly threshold: number;
  /** Seconds; 0: never. */
  readonly seconds: number;
  /** Seconds for which wrong passwords count, at most as long as the lockout. */
  readonly countedFor: number;
}

/** Something that those who listen to events are told. */
export interface ServiceEvent {
  /** `ResourceEvent.1.4.ResourceChanged` */
  readonly messageId: string;
  readonly message: string;
  readonly messageArgs: readonly string[];
  readonly severity: 'OK' | 'Warning' | 'Critical';
  /** URI of what it is about. */
  readonly origin?: string;
  readonly eventType?: 'Alert' | 'ResourceAdded' | 'ResourceRemoved' | 'ResourceUpdated' | 'StatusChange' | 'Other';
}

export interface EventHub {
  publish(event: ServiceEvent): void;
}

/**
 * What clients change of a BMC by Redfish and find again after its restart. It is stored as JSON, so that a field, once there, keeps
 * its meaning. Each group belongs to the resources of one folder.
 */
export interface RedfishState {
  sessions?: readonly StoredSession[];
  subscriptions?: readonly StoredSubscription[];
  /** Of SessionService, AccountService, EventService, Manager and System: what clients set there. */
  settings?: RedfishSettings;
  /** Next ID of what is numbered: `{"session": 7}`. */
  counters?: Readonly<Record<string, number>>;
}

export interface StoredSession {
  readonly id: string;
  /** SHA-256 of the token, in hex: whoever reads the store cannot log in by it. */
  readonly tokenHash: string;
  readonly account: number;
  readonly userName: string;
  readonly address: string;
  /** What the client has to say of it. */
  readonly context?: string;
  /** ms since 1970. The last use is noted now and then, so that a restart ends no session too late by more than that. */
  readonly createdAt: number;
  readonly usedAt: number;
  /** Changes with the account's password and role, whose sessions end then. */
  readonly accountMark: string;
}

export interface StoredSubscription {
  readonly id: string;
  readonly destination: string;
  readonly context: string;
  readonly protocol: 'Redfish';
  /** Empty: all. */
  readonly registryPrefixes: readonly string[];
  readonly resourceTypes: readonly string[];
  readonly messageIds: readonly string[];
  readonly excludedRegistryPrefixes: readonly string[];
  readonly excludedMessageIds: readonly string[];
  /** Of the deprecated kind; empty: all. */
  readonly eventTypes: readonly string[];
  readonly verifiesCertificate: boolean;
  /** Sent with each event; they may carry the listener's secrets and are never shown. */
  readonly httpHeaders: Readonly<Record<string, string>>;
  readonly retryPolicy: 'TerminateAfterRetries' | 'SuspendRetries' | 'RetryForever';
  readonly isSuspended: boolean;
  /** Name of the account that made it, as it was then. */
  readonly owner: string;
  /** ID of that account, with which it goes; undefined: it is known by its name alone. */
  readonly account?: number;
}

export interface RedfishSettings {
  /** Seconds, 30 to 86400. */
  readonly sessionTimeout?: number;
  readonly accountLockoutThreshold?: number;
  readonly accountLockoutDuration?: number;
  readonly accountLockoutCounterResetAfter?: number;
  readonly assetTag?: string;
  readonly indicatorActive?: boolean;
  readonly boot?: StoredBoot;
  readonly eventRetryAttempts?: number;
  readonly eventRetryIntervalSeconds?: number;
  /** Accounts whose password is to be changed before anything else. */
  readonly passwordChangeRequired?: readonly number[];
}

/**
 * A System's `Boot` as clients wrote it last, where that is more than the machine's boot override tells: a mode without a target, a
 * target that is not enabled, an option that was named by its path. It counts as long as the machine's override is what it comes to.
 */
export interface StoredBoot {
  readonly enabled: 'Disabled' | 'Once' | 'Continuous';
  /** Of ComputerSystem's `BootSource`. */
  readonly target: string;
  readonly mode?: 'UEFI' | 'Legacy';
  readonly httpBootUri?: string;
  readonly uefiTarget?: string;
  readonly bootNext?: string;
}

export interface RedfishStateStore {
  /** As stored last; the same object until something changes. */
  current(): RedfishState;
  /**
   * Resolves when it is stored.
   *
   * @param edit makes the groups that change of what is stored; it may be asked again where others have stored meanwhile
   * @throws MachineError `Unavailable`
   */
  change(edit: (stored: RedfishState) => Partial<RedfishState>): Promise<void>;
}

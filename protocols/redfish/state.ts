/**
 * Persistent state that clients change through Redfish. Stored as JSON: a field must never change its meaning. Each group belongs
 * to the resources of one folder.
 */
export interface RedfishState {
  sessions?: readonly StoredSession[];
  subscriptions?: readonly StoredSubscription[];
  /** Settings of clients in SessionService, AccountService, EventService, Manager and System. */
  settings?: RedfishSettings;
  /** Next IDs of numbered resources: `{"session": 7}`. */
  counters?: Readonly<Record<string, number>>;
}

export interface StoredSession {
  readonly id: string;
  /** SHA-256 of the token, in hex; the stored value cannot be used to log in. */
  readonly tokenHash: string;
  readonly account: number;
  readonly userName: string;
  readonly address: string;
  /** Text from the client. */
  readonly context?: string;
  /** ms since 1970. The last use is stored periodically only. */
  readonly createdAt: number;
  readonly usedAt: number;
  /** Changes with the account's password and role; the session ends then. */
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
  /** Deprecated; empty: all. */
  readonly eventTypes: readonly string[];
  readonly verifiesCertificate: boolean;
  /** Sent with each event; may carry secrets of the listener and are never shown. */
  readonly httpHeaders: Readonly<Record<string, string>>;
  readonly retryPolicy: 'TerminateAfterRetries' | 'SuspendRetries' | 'RetryForever';
  readonly isSuspended: boolean;
  /** Name of the account that created it, at that time. */
  readonly owner: string;
  /** ID of that account; the subscription ends with it. Undefined: identified by name only. */
  readonly account?: number;
}

export interface RedfishSettings {
  /** Seconds, 30 to 86400. */
  readonly sessionTimeout?: number;
  readonly accountLockoutThreshold?: number;
  readonly accountLockoutDuration?: number;
  readonly accountLockoutCounterResetAfter?: number;
  /** Of new passwords, in IPMI too. */
  readonly minPasswordLength?: number;
  readonly assetTag?: string;
  readonly indicatorActive?: boolean;
  readonly boot?: StoredBoot;
  readonly eventRetryAttempts?: number;
  readonly eventRetryIntervalSeconds?: number;
  /** Accounts that must change their password first. */
  readonly passwordChangeRequired?: readonly number[];
}

/**
 * A System's `Boot` as last written, if the machine's boot override does not express all of it: a mode without a target, a disabled
 * target, an option named by its path. Valid while it matches the machine's override.
 */
export interface StoredBoot {
  readonly enabled: 'Disabled' | 'Once' | 'Continuous';
  /** As in ComputerSystem's `BootSource`. */
  readonly target: string;
  readonly mode?: 'UEFI' | 'Legacy';
  readonly httpBootUri?: string;
  readonly uefiTarget?: string;
  readonly bootNext?: string;
}

export interface RedfishStateStore {
  /** The last stored state; the same object until something changes. */
  current(): RedfishState;
  /**
   * Resolves when the change is stored.
   *
   * @param edit returns the changed groups; called again after a conflicting write
   * @throws MachineError `Unavailable`
   */
  change(edit: (stored: RedfishState) => Partial<RedfishState>): Promise<void>;
}

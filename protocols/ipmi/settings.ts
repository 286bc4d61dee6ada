/**
 * BMC settings that clients change over IPMI and that survive a restart; missing fields have their defaults. Stored as JSON, so a
 * field must never change its meaning. Each group belongs to the commands of one folder.
 */
export interface IpmiSettings {
  chassis?: {
    /** Last stored state of the power-on counter. */
    powerOn?: PowerOnCount;
  };
  /** Last setting of the watchdog timer. */
  watchdog?: WatchdogSettings;
  /** System info parameters written by clients, by number, in hex. */
  systemInfo?: Readonly<Record<string, string>>;
  /** SOL configuration parameters written by clients, as in `SolParameters`. */
  sol?: {
    enabled?: boolean;
    privilege?: number;
    accumulateInterval?: number;
    sendThreshold?: number;
    retryCount?: number;
    retryInterval?: number;
    nonVolatileBitRate?: number;
    volatileBitRate?: number;
  };
  sel?: {
    /** Seconds by which the event log's clock is ahead of the BMC's, for clients; Set SEL Time. */
    clockOffset?: number;
    /** Minutes from UTC, or `null` for "unspecified"; Set SEL Time UTC Offset. */
    utcOffset?: number | null;
  };
  /** Record IDs of the last events that were processed; Set Last Processed Event ID. */
  pef?: {
    bySoftware?: number;
    byBmc?: number;
  };
  dcmi?: {
    /** Replaces the machine's own; one character per UTF-8 byte, since clients write it in parts. */
    assetTag?: string;
    /** Management Controller Identifier String. */
    controllerId?: string;
  };
}

export interface PowerOnCount {
  /** ms before the current run. */
  readonly total: number;
  /** The last observed run with power, ms since 1970: its start and its earliest possible end. */
  readonly run?: { readonly since: number; readonly until: number };
}

export interface WatchdogSettings {
  /** The request of Set Watchdog Timer, 6 bytes in hex. */
  readonly timer: string;
  readonly isRunning: boolean;
  /** Expiration flags, one bit per timer use (IPMI 2.0 §27.7). */
  readonly expired: number;
  /** The user that armed the watchdog. */
  readonly user: string;
  readonly address: string;
}

export interface SettingsStore {
  /** The stored settings. */
  current(): IpmiSettings;
  /**
   * Resolves when the change is stored. An undefined group gets its defaults.
   *
   * @param edit returns the changed groups for the stored settings; called again after a concurrent change
   * @throws MachineError `Unavailable`
   */
  change(edit: (stored: IpmiSettings) => Partial<IpmiSettings>): Promise<void>;
}

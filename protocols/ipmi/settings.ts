/**
 * What clients change of a BMC by IPMI and find again after its restart; all that is absent is as the BMC was made. It is stored
 * as JSON, so that a field, once there, keeps its meaning. Each group belongs to the commands of one folder.
 */
export interface IpmiSettings {
  chassis?: {
    /** What the power-on counter had counted when it was written last. */
    powerOn?: PowerOnCount;
  };
  /** The watchdog timer as it was set last. */
  watchdog?: WatchdogSettings;
  /** System info parameters that clients wrote, by number, in hex. */
  systemInfo?: Readonly<Record<string, string>>;
  /** SOL configuration parameters that clients wrote, as `SolParameters` has them. */
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
    /** Seconds that clients see the event log's clock ahead of the BMC's own; Set SEL Time. */
    clockOffset?: number;
    /** Minutes from UTC that clients wrote, or `null` for "unspecified"; Set SEL Time UTC Offset. */
    utcOffset?: number | null;
  };
  dcmi?: {
    /** Instead of the machine's own; a character for each byte of its UTF-8, which clients write in pieces. */
    assetTag?: string;
    /** Management Controller Identifier String. */
    controllerId?: string;
  };
}

export interface PowerOnCount {
  /** ms that ended before the run of now. */
  readonly total: number;
  /** The last time that the machine was seen with power, ms since 1970: since when, and until when at least. */
  readonly run?: { readonly since: number; readonly until: number };
}

export interface WatchdogSettings {
  /** The request of Set Watchdog Timer, 6 bytes in hex. */
  readonly timer: string;
  readonly isRunning: boolean;
  /** Timer uses whose time was over, a bit for each (IPMI 2.0 §27.7). */
  readonly expired: number;
  /** Who armed it. */
  readonly user: string;
  readonly address: string;
}

export interface SettingsStore {
  /** As stored last. */
  current(): IpmiSettings;
  /**
   * Resolves when it is stored. A group that is undefined goes back to how the BMC was made.
   *
   * @param edit makes the groups that change of what is stored; it may be asked again where others have stored meanwhile
   * @throws MachineError `Unavailable`
   */
  change(edit: (stored: IpmiSettings) => Partial<IpmiSettings>): Promise<void>;
}

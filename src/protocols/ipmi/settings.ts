/**
 * What clients change of a BMC by IPMI and find again after its restart; all that is absent is as the BMC was made. It is stored
 * as JSON, so that a field, once there, keeps its meaning. Each group belongs to the commands of one folder.
 */
export interface IpmiSettings {
  chassis?: {
    /** Seconds that a power cycle stays off; Set Power Cycle Interval. */
    powerCycleInterval?: number;
  };
  /** System info parameters that clients wrote, by number, in hex. */
  systemInfo?: Readonly<Record<string, string>>;
}

export interface SettingsStore {
  /** As stored last. */
  current(): IpmiSettings;
  /**
   * Resolves when it is stored. A group that is undefined goes back to how the BMC was made.
   *
   * @throws MachineError `Unavailable`
   */
  change(change: Partial<IpmiSettings>): Promise<void>;
}

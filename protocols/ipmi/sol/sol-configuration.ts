import { PRIVILEGE, type Privilege, privilegeOf } from '../message/codes.ts';
import { SetInProgress } from '../session/set-in-progress.ts';
import type { IpmiSettings, SettingsStore } from '../settings.ts';

/** The SOL configuration parameters of a BMC, and the session that is changing them. */
export class SolConfiguration {
  readonly #settings: SettingsStore;
  readonly setInProgress = new SetInProgress();

  constructor(settings: SettingsStore) {
    this.#settings = settings;
  }

  get parameters(): SolParameters {
    return solParameters(this.#settings.current());
  }

  /** Applies to later activations. @throws MachineError `Unavailable` */
  async change(change: Partial<SolParameters>): Promise<void> {
    await this.#settings.change(({ sol }) => ({ sol: { ...sol, ...change } }));
  }
}

/** The writable SOL configuration parameters, IPMI 2.0 table 26-5. */
export interface SolParameters {
  enabled: boolean;
  /** Level required for Activate Payload. */
  privilege: Privilege;
  /** Time that output waits for more output, in units of 5 ms, 1 to 255. */
  accumulateInterval: number;
  /** Number of characters that are sent at once, 1 to 255. */
  sendThreshold: number;
  /** Number of retransmissions, 0 to 7. */
  retryCount: number;
  /** Time between retransmissions, in units of 10 ms, 1 to 255. */
  retryInterval: number;
  /** Codes of table 26-5; stored without effect, since a virtual port has no bit rate. */
  nonVolatileBitRate: number;
  volatileBitRate: number;
}

/**
 * An echo within 10 ms is not noticeable, and in this time a line of 115,200 bit/s transfers 100 characters. A console without an answer
 * for 4 s is considered disconnected.
 */
const DEFAULTS: SolParameters = {
  enabled: true,
  privilege: PRIVILEGE.operator,
  accumulateInterval: 2,
  sendThreshold: 96,
  retryCount: 7,
  retryInterval: 50,
  // The setting of the serial channel.
  nonVolatileBitRate: 0,
  volatileBitRate: 0,
};

/** The stored parameters, with defaults for missing ones. */
export function solParameters({ sol }: IpmiSettings): SolParameters {
  const { privilege, ...others } = { ...sol };
  const level = privilege === undefined ? undefined : privilegeOf(privilege);
  return { ...DEFAULTS, ...others, ...(level !== undefined && { privilege: level }) };
}

/** ms */
export const ACCUMULATE_STEP = 5;
/** ms */
export const RETRY_STEP = 10;

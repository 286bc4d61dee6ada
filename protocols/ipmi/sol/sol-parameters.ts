import type { IpmiSettings } from '../settings.ts';
import { PRIVILEGE, type Privilege, privilegeOf } from '../message/privilege.ts';

/** The SOL configuration parameters that clients may change, IPMI 2.0 table 26-5. */
export interface SolParameters {
  enabled: boolean;
  /** Level that Activate Payload needs. */
  privilege: Privilege;
  /** Output waits for more of it for this long, in steps of 5 ms, 1 to 255. */
  accumulateInterval: number;
  /** Characters that are sent without waiting for more, 1 to 255. */
  sendThreshold: number;
  /** How often a packet that is not acknowledged is sent again, 0 to 7. */
  retryCount: number;
  /** Time between those, in steps of 10 ms, 1 to 255. */
  retryInterval: number;
  /** Codes of table 26-5, which clients set and read; a virtual port has no bit rate, so that nothing comes of them. */
  nonVolatileBitRate: number;
  volatileBitRate: number;
}

/**
 * Echo within 10 ms still feels immediate, and 100 characters go by then at 115,200 bit/s. A console that does not answer for 4 s
 * has lost its network.
 */
const DEFAULTS: SolParameters = {
  enabled: true,
  privilege: PRIVILEGE.operator,
  accumulateInterval: 2,
  sendThreshold: 96,
  retryCount: 7,
  retryInterval: 50,
  // As the serial channel is configured.
  nonVolatileBitRate: 0,
  volatileBitRate: 0,
};

/** As stored, with what was never set as it is by default. */
export function solParameters({ sol }: IpmiSettings): SolParameters {
  const { privilege, ...others } = { ...sol };
  const level = privilege === undefined ? undefined : privilegeOf(privilege);
  return { ...DEFAULTS, ...others, ...(level !== undefined && { privilege: level }) };
}

/** ms */
export const ACCUMULATE_STEP = 5;
/** ms */
export const RETRY_STEP = 10;

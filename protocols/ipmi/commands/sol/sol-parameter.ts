/** Selectors of the SOL configuration parameters, IPMI 2.0 table 26-5. */
export const SOL_PARAMETER = {
  setInProgress: 0,
  enable: 1,
  authentication: 2,
  accumulate: 3,
  retry: 4,
  nonVolatileBitRate: 5,
  volatileBitRate: 6,
  channel: 7,
  port: 8,
} as const;

/** Bits 7:6 of the authentication parameter: encryption and authentication are always forced. */
export const FORCED = 0xc0;

/** Bit of SOL in the first byte of standard payloads. */
export const SOL_ENABLED = 0x02;

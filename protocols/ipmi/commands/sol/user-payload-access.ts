/** Bit of the first byte of standard payloads that stands for serial over LAN. */
export const SOL_ENABLED = 0x02;

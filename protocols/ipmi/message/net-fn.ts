/** Network functions of supported requests, IPMI 2.0 table 5-1. The response's is one higher. */
export const NET_FN = {
  chassis: 0x00,
  sensor: 0x04,
  app: 0x06,
  storage: 0x0a,
  transport: 0x0c,
  groupExtension: 0x2c,
} as const;

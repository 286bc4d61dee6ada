/** Network functions of requests that this BMC serves, IPMI 2.0 table 5-1. The response's is one higher. */
export const NET_FN = { chassis: 0x00, app: 0x06 } as const;

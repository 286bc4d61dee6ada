/** Payload types of RMCP+, IPMI 2.0 table 13-16. */
export const PAYLOAD_TYPE = {
  ipmi: 0x00,
  sol: 0x01,
  oem: 0x02,
  openSessionRequest: 0x10,
  openSessionResponse: 0x11,
  rakp1: 0x12,
  rakp2: 0x13,
  rakp3: 0x14,
  rakp4: 0x15,
} as const;

/** Status codes of RMCP+ and RAKP that this BMC uses, IPMI 2.0 table 13-15. */
export const STATUS = {
  noErrors: 0x00,
  insufficientResources: 0x01,
  invalidSessionId: 0x02,
  invalidRole: 0x09,
  unauthorizedRole: 0x0a,
  invalidNameLength: 0x0c,
  unauthorizedName: 0x0d,
  invalidIntegrityCheckValue: 0x0f,
  noCipherSuiteMatch: 0x11,
  illegalParameter: 0x12,
} as const;

export type StatusCode = (typeof STATUS)[keyof typeof STATUS];

/** Completion codes of the two system info commands, IPMI 2.0 §22.14a; no parameter of ours is read-only (0x82). */
export const SYSTEM_INFO_COMPLETION = { parameterNotSupported: 0x80, setInProgress: 0x81 } as const;

/** Boot option parameters that this BMC has, IPMI 2.0 table 28-14. */
export const BOOT_PARAMETER = { setInProgress: 0, validBitClearing: 3, acknowledge: 4, bootFlags: 5 } as const;

/** Bit 7 of the selector: the parameter is invalid or locked. */
export const PARAMETER_LOCKED = 0x80;
export const PARAMETER_MASK = 0x7f;

/** Completion codes of the two boot option commands. */
export const BOOT_COMPLETION = { parameterNotSupported: 0x80, setInProgress: 0x81 } as const;

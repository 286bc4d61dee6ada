/** Boot option parameters of IPMI 2.0, table 28-14; later ones are OEM parameters. */
export const BOOT_PARAMETER = {
  setInProgress: 0,
  servicePartitionSelector: 1,
  servicePartitionScan: 2,
  validBitClearing: 3,
  acknowledge: 4,
  bootFlags: 5,
  initiatorInfo: 6,
  initiatorMailbox: 7,
} as const;

/** Bit 7 of the selector: the parameter is invalid or locked. */
export const PARAMETER_LOCKED = 0x80;
export const PARAMETER_MASK = 0x7f;

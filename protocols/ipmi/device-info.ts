/** Data of Get Device ID about the BMC itself, IPMI 2.0 §20.1. */
export interface DeviceInfo {
  firmware: {
    /** 0 to 127. */
    major: number;
    /** 0 to 99. */
    minor: number;
  };
  /** Default 0x20. */
  deviceId?: number;
  /** 0 to 15; default 1. */
  deviceRevision?: number;
  /** IANA enterprise number, 20 bits; default 0, unspecified. */
  manufacturerId?: number;
  /** 16 bits; default 0. */
  productId?: number;
  /** Four vendor-defined bytes, shown by `ipmitool mc info`; default zeros. */
  auxiliaryFirmwareRevision?: Buffer;
}

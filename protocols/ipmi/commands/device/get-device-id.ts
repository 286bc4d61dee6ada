import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';

/** IPMI 2.0 in BCD with swapped digits. */
const IPMI_VERSION = 0x02;
/** Additional device support: chassis device, FRU inventory, event log, SDR repository, sensors. */
const DEVICE_SUPPORT = 0x80 | 0x08 | 0x04 | 0x02 | 0x01;

/** Get Device ID, IPMI 2.0 §20.1. */
export const getDeviceId: SessionCommand = {
  name: 'Get Device ID',
  netFn: NET_FN.app,
  command: 0x01,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => encodeDeviceId(bmc.deviceInfo),
};

/** Manufacturer has 3 bytes and product 2: bmc-info rejects other lengths. */
export function encodeDeviceId(info: DeviceInfo): Buffer {
  const data = Buffer.alloc(15);
  data.writeUInt8(info.deviceId ?? 0x20, 0);
  data.writeUInt8((info.deviceRevision ?? 1) & 0x0f, 1);
  data.writeUInt8(info.firmware.major & 0x7f, 2);
  data.writeUInt8(binaryCodedDecimal(info.firmware.minor), 3);
  data.writeUInt8(IPMI_VERSION, 4);
  data.writeUInt8(DEVICE_SUPPORT, 5);
  data.writeUIntLE((info.manufacturerId ?? 0) & 0x0f_ffff, 6, 3);
  data.writeUInt16LE((info.productId ?? 0) & 0xffff, 9);
  info.auxiliaryFirmwareRevision?.copy(data, 11, 0, 4);
  return data;
}

function binaryCodedDecimal(value: number): number {
  return (Math.floor((value % 100) / 10) << 4) | (value % 10);
}

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

import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { Bmc, SessionCommand } from '../command.ts';
import { assetTagOf } from '../dcmi/texts.ts';
import { boardArea, chassisArea, fruInventory, productArea } from './fru-area.ts';
import { fruFieldsOf } from './fru-fields.ts';

const ACCESSED_BY_BYTES = 0x00;

/** Get FRU Inventory Area Info, IPMI 2.0 §34.1: the length of the inventory. */
export const getFruInventoryAreaInfo: SessionCommand = {
  name: 'Get FRU Inventory Area Info',
  netFn: NET_FN.storage,
  command: 0x10,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => {
    const { length } = fruOf(bmc, request.readUInt8(0));
    return Buffer.of(length & 0xff, length >> 8, ACCESSED_BY_BYTES);
  },
};

/** Read FRU Data, IPMI 2.0 §34.2: byte count and bytes; fewer than requested at the end of the inventory. */
export const readFruData: SessionCommand = {
  name: 'Read FRU Data',
  netFn: NET_FN.storage,
  command: 0x11,
  privilege: PRIVILEGE.user,
  requestLength: [4, 4],
  repeatable: true,
  handle: (request, { bmc }) => {
    const fru = fruOf(bmc, request.readUInt8(0));
    const offset = request.readUInt16LE(1);
    if (offset >= fru.length) throw new CompletionError(COMPLETION.outOfRange, `offset ${offset} of ${fru.length}`);
    const bytes = fru.subarray(offset, offset + request.readUInt8(3));
    return Buffer.concat([Buffer.of(bytes.length), bytes]);
  },
};

/** Completion code of this command. */
const WRITE_PROTECTED = 0x80;

/** Write FRU Data, IPMI 2.0 §34.3: rejected, since the inventory comes from the platform. */
export const writeFruData: SessionCommand = {
  name: 'Write FRU Data',
  netFn: NET_FN.storage,
  command: 0x12,
  privilege: PRIVILEGE.operator,
  requestLength: [4, 255],
  repeatable: true,
  handle: (request, { bmc }) => {
    fruOf(bmc, request.readUInt8(0));
    throw new CompletionError(WRITE_PROTECTED, 'the inventory is read-only: it describes the platform');
  },
};

/** The only FRU device: that of the BMC, which describes the machine. */
const FRU_DEVICE_ID = 0;

/** FRU file ID: none. */
const NO_FILE = '';

/**
 * The whole inventory of a FRU device.
 *
 * @throws CompletionError 0xCB for a device that does not exist
 */
export function fruOf(bmc: Bmc, deviceId: number): Buffer {
  if (deviceId !== FRU_DEVICE_ID) throw new CompletionError(COMPLETION.notPresent, `no FRU device ${deviceId}`);
  const { machine } = bmc;
  const { chassis, board, product } = fruFieldsOf(machine.identity(), machine.hardware(), assetTagOf(bmc));
  return fruInventory(
    chassisArea([chassis.partNumber, chassis.serial], chassis.custom),
    boardArea(board.madeAt, [board.manufacturer, board.name, board.serial, board.partNumber, NO_FILE]),
    productArea(
      [product.manufacturer, product.name, product.model, product.version, product.serial, product.assetTag, NO_FILE],
      product.custom,
    ),
  );
}

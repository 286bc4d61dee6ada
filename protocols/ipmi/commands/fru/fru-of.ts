import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import type { Bmc } from '../command.ts';
import { assetTagOf } from '../dcmi/asset-tag.ts';
import { boardArea, chassisArea, fruInventory, productArea } from './fru-area.ts';
import { fruFieldsOf } from './fru-fields.ts';

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

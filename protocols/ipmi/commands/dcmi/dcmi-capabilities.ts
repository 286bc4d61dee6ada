import { COMPLETION, CompletionError, PRIVILEGE } from '../../message/codes.ts';
import { LAN_CHANNEL } from '../channel/channel.ts';
import type { Bmc } from '../command.ts';
import { dcmiCommand } from './dcmi-command.ts';
import { requireTemperature } from './measurements.ts';

/** DCMI 1.5, parameter revision 2. */
const CONFORMANCE = [0x01, 0x05, 0x02];
const NONE = 0x00;
const NO_CHANNEL = 0xff;

const SEL = { rollover: 0x80, recordLevelFlush: 0x10, maxEntries: 0x0fff };
const IDENTIFICATION = { guid: 0x04, assetTag: 0x01 };

/** Get DCMI Capabilities Info, DCMI 1.5 §6.1: no power management and no temperatures. */
export const getDcmiCapabilitiesInfo = dcmiCommand({
  name: 'Get DCMI Capabilities Info',
  command: 0x01,
  // The specification also allows it without a session; no client uses that, and capabilities are only for users.
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => Buffer.from([...CONFORMANCE, ...parameter(request.readUInt8(0), bmc)]),
});

/** @throws CompletionError 0xCC for an unsupported parameter */
function parameter(selector: number, bmc: Bmc): number[] {
  switch (selector) {
    // Supported capabilities: reserved, power management, channels besides the primary LAN channel.
    case 1:
      return [NONE, NONE, NONE];
    // Mandatory platform attributes: event log, reserved, identification, temperature sampling.
    case 2: {
      const entries = Math.min(bmc.machine.log.capacity, SEL.maxEntries);
      const attributes = SEL.rollover | SEL.recordLevelFlush | (entries >> 8);
      return [entries & 0xff, attributes, IDENTIFICATION.guid | IDENTIFICATION.assetTag, NONE, NONE];
    }
    // Optional platform attributes: power management device.
    case 3:
      return [NONE, NONE];
    // Manageability access: primary LAN, secondary LAN, serial.
    case 4:
      return [LAN_CHANNEL, NO_CHANNEL, NO_CHANNEL];
    // Enhanced power statistics: number of averaging periods.
    case 5:
      return [0];
    default:
      throw new CompletionError(COMPLETION.invalidField, `parameter ${selector}`);
  }
}

/** Get DCMI Sensor Info, DCMI 1.5 §6.5.2: only for temperature sensors, which a VM does not have. */
export const getDcmiSensorInfo = dcmiCommand({
  name: 'Get DCMI Sensor Info',
  command: 0x07,
  privilege: PRIVILEGE.operator,
  requestLength: [4, 4],
  repeatable: true,
  handle: (request) => {
    requireTemperature(request.readUInt8(0));
    return Buffer.of(0, 0);
  },
});

import { CompletionError, NET_FN, PRIVILEGE } from '../message/codes.ts';
import type { SessionCommand } from './command.ts';
import { PARAMETER_COMPLETION, PARAMETER_REVISION, REVISION_ONLY } from './configuration-parameters.ts';
import { recordIdOf } from './sel/record-id.ts';
import { SelView } from './sel/sel-view.ts';

/** PEF version of IPMI 1.5 and 2.0 in BCD with swapped digits. */
const PEF_VERSION = 0x51;
const NO_ACTIONS = 0x00;
const NO_FILTERS = 0;

/** Get PEF Capabilities, IPMI 2.0 §30.1: no event filters and no actions. */
export const getPefCapabilities: SessionCommand = {
  name: 'Get PEF Capabilities',
  netFn: NET_FN.sensor,
  command: 0x10,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: () => Buffer.of(PEF_VERSION, NO_ACTIONS, NO_FILTERS),
};

const GUID_BYTES = 16;

/** By number, IPMI 2.0 table 30-6: the required parameters without event filters. */
const PARAMETERS: ReadonlyMap<number, Buffer> = new Map([
  // Set in progress, PEF control, actions; sizes of filter table, alert policy table and alert strings.
  ...[0, 1, 2, 5, 8, 11].map((selector): [number, Buffer] => [selector, Buffer.of(0)]),
  // System GUID in traps: the one of Get System GUID.
  [10, Buffer.alloc(1 + GUID_BYTES)],
]);

/** Get PEF Configuration Parameters, IPMI 2.0 §30.4. */
export const getPefConfigurationParameters: SessionCommand = {
  name: 'Get PEF Configuration Parameters',
  netFn: NET_FN.sensor,
  command: 0x13,
  privilege: PRIVILEGE.operator,
  requestLength: [3, 3],
  repeatable: true,
  handle: (request) => {
    const selector = request.readUInt8(0);
    if ((selector & REVISION_ONLY) !== 0) return Buffer.of(PARAMETER_REVISION);
    const value = PARAMETERS.get(selector);
    if (value === undefined)
      throw new CompletionError(PARAMETER_COMPLETION.parameterNotSupported, `PEF parameter ${selector}`);
    return Buffer.concat([Buffer.of(PARAMETER_REVISION), value]);
  },
};

const NONE = 0xffff;

/** Get Last Processed Event ID, IPMI 2.0 §30.6: the last logged event; none is processed. */
export const getLastProcessedEventId: SessionCommand = {
  name: 'Get Last Processed Event ID',
  netFn: NET_FN.sensor,
  command: 0x15,
  privilege: PRIVILEGE.administrator,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const { log } = bmc.machine;
    const last = log.entries().at(-1);
    const data = Buffer.alloc(10);
    data.writeUInt32LE(new SelView(bmc).stamp(log.lastAdded), 0);
    data.writeUInt16LE(last === undefined ? NONE : recordIdOf(last, 0), 4);
    data.writeUInt16LE(NONE, 6);
    data.writeUInt16LE(NONE, 8);
    return data;
  },
};

import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** Completion code of this command. */
const PARAMETER_NOT_SUPPORTED = 0x80;

/** Revision 1.1 of the parameters; asked for alone by the selector's top bit. */
const REVISION = 0x11;
const REVISION_ALONE = 0x80;

const GUID_BYTES = 16;

/** By number, IPMI 2.0 table 30-6: all that there can be where events are filtered by nobody. */
const PARAMETERS: ReadonlyMap<number, Buffer> = new Map([
  // Set in progress, PEF control, actions, entries of the filter table and of the alert policy table, alert strings.
  ...[0, 1, 2, 5, 8, 11].map((selector): [number, Buffer] => [selector, Buffer.of(0)]),
  // System GUID: traps would have the one of Get System GUID.
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
    if ((selector & REVISION_ALONE) !== 0) return Buffer.of(REVISION);
    const value = PARAMETERS.get(selector);
    if (value === undefined) throw new CompletionError(PARAMETER_NOT_SUPPORTED, `PEF parameter ${selector}`);
    return Buffer.concat([Buffer.of(REVISION), value]);
  },
};

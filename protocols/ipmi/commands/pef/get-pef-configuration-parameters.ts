import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION, PARAMETER_REVISION, REVISION_ONLY } from '../configuration-parameters.ts';

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

import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/**
 * Set Power Cycle Interval, IPMI 2.0 §28.9. Only 0 is accepted: a power cycle is one request to the hypervisor, which powers the machine on as
 * soon as it is off. A longer interval would have to survive this process.
 */
export const setPowerCycleInterval: SessionCommand = {
  name: 'Set Power Cycle Interval',
  netFn: NET_FN.chassis,
  command: 0x0b,
  privilege: PRIVILEGE.administrator,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request) => {
    if (request.readUInt8(0) !== 0) {
      throw new CompletionError(COMPLETION.outOfRange, 'the power cycle interval must be 0');
    }
    return Buffer.alloc(0);
  },
};

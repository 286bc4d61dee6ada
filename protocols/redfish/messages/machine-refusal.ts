import type { MachineError } from '../../machine/index.ts';
import { base } from './base.ts';
import { type Message, RedfishError } from './message.ts';

/** Seconds after which somebody who was told to come back may find it done. */
const RETRY_AFTER = '5';

/**
 * What a client is told where the machine refuses. The machine's sentence is the resolution of the message: the registry's own words say
 * that something is wrong, not what.
 *
 * @param impossible what to send for what this machine can never do
 */
export function machineRefusal({ code, message }: MachineError, impossible: Message): RedfishError {
  switch (code) {
    case 'Busy':
    case 'Unavailable':
      return new RedfishError(503, [{ ...base('ServiceTemporarilyUnavailable', [RETRY_AFTER]), Resolution: message }], {
        'Retry-After': RETRY_AFTER,
      });
    case 'NotSupported':
      return new RedfishError(400, [{ ...impossible, Resolution: message }]);
    case 'InvalidState':
      return new RedfishError(409, [{ ...base('ResourceInUse'), Resolution: message }]);
    case 'Forbidden':
      return new RedfishError(503, [{ ...base('OperationFailed'), Resolution: message }], {
        'Retry-After': RETRY_AFTER,
      });
  }
}

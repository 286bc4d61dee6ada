import type { MachineError } from '../../machine/index.ts';
import { base } from './base.ts';
import { type Message, RedfishError } from './message.ts';

/** Value of Retry-After, seconds. */
const RETRY_AFTER = '5';

/**
 * The error response for a machine error. The machine's message becomes the Resolution, because the registry's texts do not give
 * the cause.
 *
 * @param impossible the message if this machine never supports the operation
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

import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { Bmc, SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION, PARAMETER_REVISION, parameterAt, REVISION_ONLY } from '../configuration-parameters.ts';

const SET_IN_PROGRESS = 0;
const SELECTOR_MASK = 0x7f;
const GUID_BYTES = 16;

/** By number, IPMI 2.0 table 30-6: the required parameters without event filters. */
const PARAMETERS: Readonly<Record<number, (bmc: Bmc) => Buffer>> = {
  [SET_IN_PROGRESS]: (bmc) => Buffer.of(bmc.setInProgress.pef.state),
  /** PEF control, actions. */
  1: () => Buffer.of(0),
  2: () => Buffer.of(0),
  /** Sizes of filter table, alert policy table and alert strings. */
  5: () => Buffer.of(0),
  8: () => Buffer.of(0),
  11: () => Buffer.of(0),
  /** System GUID in traps: the one of Get System GUID. */
  10: () => Buffer.alloc(1 + GUID_BYTES),
};

/** Get PEF Configuration Parameters, IPMI 2.0 §30.4. */
export const getPefConfigurationParameters: SessionCommand = {
  name: 'Get PEF Configuration Parameters',
  netFn: NET_FN.sensor,
  command: 0x13,
  privilege: PRIVILEGE.operator,
  requestLength: [3, 3],
  repeatable: true,
  handle: (request, { bmc }) => {
    const selector = request.readUInt8(0);
    if ((selector & REVISION_ONLY) !== 0) return Buffer.of(PARAMETER_REVISION);
    return Buffer.concat([Buffer.of(PARAMETER_REVISION), parameterAt(PARAMETERS, selector)(bmc)]);
  },
};

const MAX_DATA = 24;

/**
 * Set PEF Configuration Parameters, IPMI 2.0 §30.3. All parameters but "set in progress" are read-only, since there are no event
 * filters. Current values are accepted, since configuration tools write back the values that they read.
 */
export const setPefConfigurationParameters: SessionCommand = {
  name: 'Set PEF Configuration Parameters',
  netFn: NET_FN.sensor,
  command: 0x12,
  privilege: PRIVILEGE.administrator,
  requestLength: [2, 1 + MAX_DATA],
  repeatable: true,
  handle: (request, { bmc, session }) => {
    const selector = request.readUInt8(0) & SELECTOR_MASK;
    const data = request.subarray(1);
    const current = parameterAt(PARAMETERS, selector)(bmc);
    if (data.length > current.length) {
      throw new CompletionError(COMPLETION.invalidLength, `PEF parameter ${selector} has ${current.length} bytes`);
    }
    if (selector === SET_IN_PROGRESS) bmc.setInProgress.pef.write(data, session);
    else if (!current.equals(data)) {
      throw new CompletionError(PARAMETER_COMPLETION.readOnly, `PEF parameter ${selector} is read-only`);
    }
  },
};

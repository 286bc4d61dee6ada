import type { RestorePolicy } from '../../../machine/index.ts';
import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';

const POLICY_MASK = 0x07;

/**
 * Set Power Restore Policy, IPMI 2.0 §28.8: answers with the supported policies, one bit each. Supports the policies of the machine's
 * platform if that of the machine is known.
 */
export const setPowerRestorePolicy: SessionCommand = {
  name: 'Set Power Restore Policy',
  netFn: NET_FN.chassis,
  command: 0x06,
  privilege: PRIVILEGE.operator,
  requestLength: [1, 1],
  repeatable: true,
  handle: async (request, { bmc, requester }) => {
    const number = request.readUInt8(0) & POLICY_MASK;
    const current = bmc.machine.restorePolicy();
    const wanted = RESTORE_POLICIES[number];
    if (number !== NO_RESTORE_POLICY) {
      if (wanted === undefined || current === undefined) {
        throw new CompletionError(COMPLETION.invalidField, `power restore policy ${number}`);
      }
      if (wanted !== current) await bmc.machine.setRestorePolicy(wanted, requester);
    }
    return Buffer.of(current === undefined ? 0 : (1 << RESTORE_POLICIES.length) - 1);
  },
};

/** Power restore policies by number, IPMI 2.0 §28.8. */
const RESTORE_POLICIES: readonly RestorePolicy[] = ['AlwaysOff', 'Previous', 'AlwaysOn'];

/** In Get Chassis Status: unknown. In Set Power Restore Policy: no change. */
const NO_RESTORE_POLICY = 3;

export function restorePolicyNumber(policy: RestorePolicy | undefined): number {
  return policy === undefined ? NO_RESTORE_POLICY : RESTORE_POLICIES.indexOf(policy);
}

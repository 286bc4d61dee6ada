import type { RestorePolicy } from '../../../machine/index.ts';
import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';

const POLICY_MASK = 0x07;

/**
 * Set Power Restore Policy, IPMI 2.0 §28.8: answers with the supported policies, one bit each. The owner defines what a VM does after
 * an outage, so only the current policy is supported; others are rejected with 0xCC.
 */
export const setPowerRestorePolicy: SessionCommand = {
  name: 'Set Power Restore Policy',
  netFn: NET_FN.chassis,
  command: 0x06,
  privilege: PRIVILEGE.operator,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => {
    const wanted = request.readUInt8(0) & POLICY_MASK;
    const current = restorePolicyNumber(bmc.machine.restorePolicy());
    if (wanted !== NO_RESTORE_POLICY && wanted !== current) {
      throw new CompletionError(COMPLETION.invalidField, `power restore policy ${wanted}: the owner chose ${current}`);
    }
    return Buffer.of(current === NO_RESTORE_POLICY ? 0 : 1 << current);
  },
};

/** Power restore policies by number, IPMI 2.0 §28.8. */
const RESTORE_POLICIES: readonly RestorePolicy[] = ['AlwaysOff', 'Previous', 'AlwaysOn'];

/** In Get Chassis Status: unknown. In Set Power Restore Policy: no change. */
const NO_RESTORE_POLICY = 3;

export function restorePolicyNumber(policy: RestorePolicy | undefined): number {
  return policy === undefined ? NO_RESTORE_POLICY : RESTORE_POLICIES.indexOf(policy);
}

import type { RestorePolicy } from '../../../machine/index.ts';

/** Power restore policies by number, IPMI 2.0 §28.8. */
const RESTORE_POLICIES: readonly RestorePolicy[] = ['AlwaysOff', 'Previous', 'AlwaysOn'];

/** In Get Chassis Status: unknown. In Set Power Restore Policy: no change. */
export const NO_RESTORE_POLICY = 3;

export function restorePolicyNumber(policy: RestorePolicy | undefined): number {
  return policy === undefined ? NO_RESTORE_POLICY : RESTORE_POLICIES.indexOf(policy);
}

import type { RedfishState } from '../../state.ts';

/** Whether an account must change its password before anything else. */
export function mustChangePassword({ settings }: RedfishState, account: number): boolean {
  return settings?.passwordChangeRequired?.includes(account) ?? false;
}

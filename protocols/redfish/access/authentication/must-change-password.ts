import type { RedfishState } from '../../state.ts';

/** Whether an account, by its ID, may do nothing before it has changed its password. */
export function mustChangePassword({ settings }: RedfishState, account: number): boolean {
  return settings?.passwordChangeRequired?.includes(account) ?? false;
}

import { NEW_ACCOUNT } from '../../../accounts.ts';
import type { Caller } from '../../caller.ts';

/** A caller that has not logged in and has no privileges. */
export function anonymous(address: string): Caller {
  return { account: { ...NEW_ACCOUNT, id: 0, name: '' }, requester: { protocol: 'Redfish', user: '', address } };
}

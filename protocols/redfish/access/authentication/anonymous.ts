import { NEW_ACCOUNT } from '../../../accounts.ts';
import type { Caller } from '../../caller.ts';

/** Somebody who has not logged in, and may do nothing but that. */
export function anonymous(address: string): Caller {
  return { account: { ...NEW_ACCOUNT, id: 0, name: '' }, requester: { protocol: 'Redfish', user: '', address } };
}

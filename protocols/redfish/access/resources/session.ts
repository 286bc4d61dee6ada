import type { RedfishContext } from '../../context.ts';
import { dateTime } from '../../date-time.ts';
import type { Resource } from '../../resource.ts';
import type { StoredSession } from '../../state.ts';

/** The session with this ID; undefined if it does not exist. */
export function session(context: RedfishContext, id: string): Resource | undefined {
  const found = context.sessions.find(id);
  return found === undefined ? undefined : sessionResource(context, found);
}

export function sessionResource({ options, sessions }: RedfishContext, found: StoredSession): Resource {
  const { id, userName, address, context, createdAt } = found;
  return {
    type: 'Session.v1_8_0.Session',
    read: () => {
      const role = options.accounts.list().find((account) => account.id === found.account)?.role;
      return {
        Id: id,
        Name: 'User Session',
        Description: `Session of ${userName}`,
        UserName: userName,
        Password: null,
        SessionType: 'Redfish',
        ClientOriginIPAddress: address,
        CreatedTime: dateTime(createdAt),
        Context: context ?? null,
        Roles: role === undefined ? [] : [role],
      };
    },
    isOwn: ({ account }) => account.id === found.account,
    delete: async ({ account, requester }) => {
      await sessions.end(id);
      if (account.id !== found.account)
        options.observer.audited(requester, `the session ${id} of ${userName} was ended`);
    },
  };
}

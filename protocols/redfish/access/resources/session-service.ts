import type { RedfishContext } from '../../context.ts';
import type { Resource } from '../../resource.ts';
import { link, SESSIONS } from '../../uris.ts';

/** Limits of the schema, in seconds. */
const TIMEOUT = { least: 30, most: 86_400 };

export function sessionService({ options, sessions }: RedfishContext): Resource {
  return {
    type: 'SessionService.v1_2_0.SessionService',
    read: () => ({
      Id: 'SessionService',
      Name: 'Session Service',
      Description: 'Log-ins by token',
      Status: { State: 'Enabled', Health: 'OK' },
      ServiceEnabled: true,
      SessionTimeout: sessions.timeout,
      Sessions: link(SESSIONS),
    }),
    patch: {
      rules: { kind: 'object', properties: { SessionTimeout: { kind: 'number', ...TIMEOUT } } },
      apply: async ({ SessionTimeout }, { requester }) => {
        if (typeof SessionTimeout !== 'number' || SessionTimeout === sessions.timeout) return undefined;
        await options.state.change(({ settings }) => ({ settings: { ...settings, sessionTimeout: SessionTimeout } }));
        options.observer.audited(requester, `sessions now end after ${SessionTimeout} s without use`);
        return undefined;
      },
    },
  };
}

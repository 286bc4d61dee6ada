import type { JSX } from 'preact';
import { Icon } from '../../common/icons.tsx';
import { useResource } from '../redfish/bmc-context.ts';
import type { Collection, Session } from '../redfish/resources.ts';
import { SESSIONS } from '../redfish/uris.ts';

/** Who has a console open, by its sessions. @param type SessionType of the console */
export function Watchers({ type }: { type: 'KVMIP' | 'HostConsole' }): JSX.Element {
  const { body } = useResource<Collection<Session>>(SESSIONS, { every: 5_000 });
  const all = (body?.Members ?? []).filter(({ SessionType }) => SessionType === type);
  const names = all.map(
    ({ UserName, ClientOriginIPAddress }) => `${UserName} from ${ClientOriginIPAddress ?? 'unknown'}`,
  );
  return (
    <span class="live" title={names.join('\n')}>
      <Icon name="users" />
      {all.length < 2 ? 'Only you' : `${all.length} here: ${all.map(({ UserName }) => UserName).join(', ')}`}
    </span>
  );
}

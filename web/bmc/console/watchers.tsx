import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon } from '../../common/icons.tsx';
import { useResource } from '../redfish/bmc-context.ts';
import type { Collection, Session } from '../redfish/resources.ts';
import { SESSIONS } from '../redfish/uris.ts';

interface Props {
  /** SessionType of the console. */
  type: 'KVMIP' | 'HostConsole';
  /** Whether the reader has it open. */
  isAmong: boolean;
}

/** Who has a console open, by its sessions. */
export function Watchers({ type, isAmong }: Props): JSX.Element {
  const { body, refresh } = useResource<Collection<Session>>(SESSIONS, { every: 5_000 });
  useEffect(() => {
    void refresh();
  }, [refresh, isAmong]);
  const all = (body?.Members ?? []).filter(({ SessionType }) => SessionType === type);
  const names = all.map(
    ({ UserName, ClientOriginIPAddress }) => `${UserName} from ${ClientOriginIPAddress ?? 'unknown'}`,
  );
  return (
    <span class="live" title={names.join('\n')}>
      <Icon name="users" />
      {isAmong && all.length < 2
        ? 'Only you'
        : `${all.length} here: ${all.map(({ UserName }) => UserName).join(', ') || 'none'}`}
    </span>
  );
}

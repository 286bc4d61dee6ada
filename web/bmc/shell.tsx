import type { JSX } from 'preact';
import { Frame } from '../common/frame.tsx';
import { PowerBadge } from '../common/power-state.tsx';
import { useBmc, useResource } from './redfish/bmc-context.ts';
import type { ComputerSystem } from './redfish/resources.ts';
import { SYSTEM } from './redfish/uris.ts';
import { ROUTES, useRoute } from './routes.ts';

/** The frame with the machine and its power state, and the user. */
export function Shell(): JSX.Element {
  const route = useRoute();
  const { client, isLive } = useBmc();
  const { body: system, problem } = useResource<ComputerSystem>(SYSTEM, { every: isLive ? 15_000 : undefined });
  const name = system?.Name ?? '';
  const Page = route.page;
  return (
    <Frame
      places={ROUTES}
      current={route.path}
      title={route.title}
      windowTitle={[route.title, name, 'BMC'].filter((part) => part !== '').join(' · ')}
      brand={name === '' ? 'BMC' : name}
      state={<PowerBadge state={system?.PowerState} />}
      notes={
        <>
          {problem !== undefined && problem.status === 0 && (
            <span class="offline" role="status">
              No connection to the BMC
            </span>
          )}
          <span class="who" title={`${client.caller.user}, ${client.caller.role}`}>
            <strong>{client.caller.user}</strong>
            <span class="quiet small">{client.caller.role}</span>
          </span>
        </>
      }
      onLogOut={() => {
        void client.logOut();
      }}
    >
      <Page key={route.path} />
    </Frame>
  );
}

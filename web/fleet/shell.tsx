import type { JSX } from 'preact';
import { Badge } from '../common/badge.tsx';
import { Frame } from '../common/frame.tsx';
import { Loading, Message } from '../common/states.tsx';
import { Bmcs } from './bmcs/bmcs.tsx';
import { FleetProvider, useShown } from './data/fleet-context.ts';
import type { Fleet } from './data/follow.ts';
import { OverviewPage } from './overview/overview.tsx';
import { Agents } from './pages/agents.tsx';
import { Events } from './pages/events.tsx';
import { Networks } from './pages/networks.tsx';
import { PoolPage } from './pools/pool-page.tsx';
import { Pools } from './pools/pools.tsx';
import { type Location, PLACES, useLocation } from './routes.ts';

/** The pages in their frame; before the status is read, its outline. */
export function Shell({ fleet, onLogOut }: { fleet: Fleet | undefined; onLogOut: () => void }): JSX.Element {
  const at = useLocation();
  const shown = useShown(fleet?.overview);
  const problems = shown?.overview.problems.length ?? 0;
  const place = PLACES.find(({ path }) => path === at.place);
  const isPool = at.place === 'pools' && at.object !== undefined;
  const title = isPool ? `IP pool ${at.object.namespace}/${at.object.name}` : (place?.title ?? '');
  return (
    <Frame
      places={PLACES}
      current={at.place}
      title={title}
      pageKey={isPool ? title : at.place}
      windowTitle={`${problems > 0 ? `(${problems}) ` : ''}${title} · Groundcrew`}
      brand="Groundcrew"
      counts={{
        overview: { count: problems, what: problems === 1 ? 'problem' : 'problems' },
      }}
      notes={<Connection fleet={fleet} />}
      onLogOut={onLogOut}
    >
      {fleet?.lost !== undefined && (
        <div class="lost" role="status">
          <Message tone="warn">
            <strong>{shown === undefined ? 'The status cannot be read.' : 'What you see may be old.'}</strong>
            <p>{fleet.lost} It is tried again by itself.</p>
          </Message>
        </div>
      )}
      {shown === undefined ? (
        <div class="card">
          <Loading what="the status of the cluster" />
        </div>
      ) : (
        <FleetProvider value={shown}>
          <Page at={at} />
        </FleetProvider>
      )}
    </Frame>
  );
}

function Page({ at }: { at: Location }): JSX.Element {
  switch (at.place) {
    case 'overview':
      return <OverviewPage />;
    case 'bmcs':
      return <Bmcs at={at} />;
    case 'pools':
      return at.object === undefined ? <Pools /> : <PoolPage of={at.object} />;
    case 'networks':
      return <Networks at={at} />;
    case 'agents':
      return <Agents />;
    case 'events':
      return <Events />;
  }
}

/** Whether what is shown is what is. */
function Connection({ fleet }: { fleet: Fleet | undefined }): JSX.Element {
  const [tone, words] =
    fleet?.lost !== undefined
      ? (['warn', 'Not connected'] as const)
      : fleet?.isLive === true
        ? (['good', 'Live'] as const)
        : (['busy', 'Connecting'] as const);
  return (
    <span role="status">
      <Badge tone={tone}>{words}</Badge>
    </span>
  );
}

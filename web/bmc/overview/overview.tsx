import type { JSX } from 'preact';
import { Card } from '../../common/card.tsx';
import { Failure, Loading } from '../../common/states.tsx';
import { useResource } from '../redfish/bmc-context.ts';
import type { ComputerSystem } from '../redfish/resources.ts';
import { SYSTEM } from '../redfish/uris.ts';
import { BootCard } from './boot-card.tsx';
import { BmcCard, MachineCard, NetworkCard } from './machine-cards.tsx';
import { PowerCard } from './power-card.tsx';
import { RecentCard } from './recent-card.tsx';
import { ScreenshotCard, ScreenshotPlaceholder } from './screenshot-card.tsx';

export function Overview(): JSX.Element {
  const { body: system, problem, refresh } = useResource<ComputerSystem>(SYSTEM);
  return (
    <>
      {problem !== undefined && <Failure trouble={problem} retry={() => void refresh()} />}
      <div class="cards overview">
        {system === undefined ? (
          <>
            <Placeholder title="Power" />
            <ScreenshotPlaceholder />
            <Placeholder title="Machine" />
            <Placeholder title="Boot override" />
          </>
        ) : (
          <>
            <PowerCard system={system} />
            <ScreenshotCard />
            <MachineCard system={system} />
            <BootCard system={system} />
          </>
        )}
        <NetworkCard />
        <BmcCard />
        <RecentCard />
      </div>
    </>
  );
}

function Placeholder({ title }: { title: string }): JSX.Element {
  return (
    <Card title={title}>
      <Loading what={title.toLowerCase()} />
    </Card>
  );
}

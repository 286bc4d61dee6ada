import type { JSX } from 'preact';
import { Card } from '../../common/card.tsx';
import { Empty } from '../../common/states.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { Copy } from '../parts/copy.tsx';
import { ProblemList } from '../parts/problem-list.tsx';
import { RecentEvents } from './recent-events.tsx';
import { Tiles } from './tiles.tsx';
import { Verdict } from './verdict.tsx';

/** What is wrong and what to do, and all in numbers. */
export function OverviewPage(): JSX.Element {
  const { overview } = useFleet();
  const { problems, bmcs, pools, networkConfigs } = overview;
  const isEmpty = bmcs.length + pools.length + networkConfigs.length === 0;
  return (
    <>
      <Verdict />
      {problems.length > 0 && (
        <Card title="What is wrong, and what to do">
          <ProblemList problems={problems} />
        </Card>
      )}
      {isEmpty ? <FirstSteps /> : <Tiles />}
      {!isEmpty && <RecentEvents />}
    </>
  );
}

function FirstSteps(): JSX.Element {
  return (
    <Card title="First steps">
      <Empty icon="server" title="There is no BMC and no IP pool yet" />
      <ol class="steps">
        <li>
          Install Groundcrew, if it is not:
          <Copy
            text="helm upgrade --install groundcrew charts/groundcrew -n groundcrew-system --create-namespace"
            what="the command"
          />
        </li>
        <li>
          Give each virtual machine a BMC:
          <Copy text="kubectl apply -f examples/virtualmachinebmc.yaml" what="the command" />
        </li>
        <li>
          Give a VM network a DHCP server:
          <Copy text="kubectl apply -f examples/ippool.yaml" what="the command" />
        </li>
      </ol>
      <p class="quiet">
        The examples name a virtual machine and a network: change them to yours. They appear here at once.
      </p>
    </Card>
  );
}

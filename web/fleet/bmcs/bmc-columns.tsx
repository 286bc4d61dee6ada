import type { JSX } from 'preact';
import { Badge } from '../../common/badge.tsx';
import { PowerBadge, powerWords } from '../../common/power-state.tsx';
import { Time } from '../../common/time.tsx';
import { PhaseBadge } from '../parts/phase-badge.tsx';
import type { Column } from '../table/columns.ts';
import type { BmcRow } from './bmc-rows.ts';

export const BMC_COLUMNS: readonly Column<BmcRow>[] = [
  {
    id: 'name',
    title: 'BMC',
    text: ({ bmc }) => `${bmc.namespace}/${bmc.name}`,
    cell: ({ bmc }) => (
      <>
        {bmc.name} <span class="quiet small">{bmc.namespace}</span>
      </>
    ),
    share: 3,
    narrow: 'first',
  },
  {
    id: 'power',
    title: 'Power',
    text: ({ bmc }) => powerWords(bmc.power).text,
    cell: ({ bmc }) => <PowerBadge state={bmc.power} />,
    narrow: 'end',
  },
  {
    id: 'state',
    title: 'State',
    text: ({ bmc, problems }) => problems.map(({ reason, what }) => `${reason} ${what}`).join(' ') || bmc.phase,
    order: ({ bmc, problems: [first] }) => (first === undefined ? `1 ${bmc.phase}` : `0 ${first.reason}`),
    cell: (row) => <State row={row} />,
    share: 4,
    narrow: 'second',
  },
  {
    id: 'vm',
    title: 'Virtual machine',
    text: ({ bmc }) => bmc.virtualMachine,
    from: 'wide',
  },
  {
    id: 'address',
    title: 'IPMI',
    // Readers search for what a browser or a client shows: the URL of Redfish, with a slash behind the host.
    text: ({ bmc }) => `${bmc.ipmi} ${bmc.redfish}/`,
    cell: ({ bmc }) => <span class="mono">{bmc.ipmi}</span>,
    from: 'medium',
  },
  {
    id: 'agent',
    title: 'Agent',
    text: ({ bmc: { agentState, agent } }) => `${agentState} ${agent}`,
    cell: ({ bmc: { agentState, restarts } }) =>
      restarts === 0 ? agentState : `${agentState}, ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    from: 'wide',
  },
  {
    id: 'action',
    title: 'Last action',
    text: ({ bmc: { lastAction } }) => (lastAction === undefined ? '' : `${lastAction.reason} ${lastAction.message}`),
    order: ({ bmc: { lastAction } }) => (lastAction === undefined ? undefined : Date.parse(lastAction.time)),
    isLargestFirst: true,
    cell: ({ bmc: { lastAction } }) =>
      lastAction === undefined ? (
        <span class="quiet">None</span>
      ) : (
        <span title={lastAction.message}>
          {lastAction.reason}{' '}
          <span class="quiet">
            <Time at={lastAction.time} />
          </span>
        </span>
      ),
    share: 3,
    from: 'medium',
  },
];

/** What is wrong, or the phase. */
function State({ row: { bmc, problems } }: { row: BmcRow }): JSX.Element {
  const [first] = problems;
  if (first === undefined) return <PhaseBadge phase={bmc.phase} />;
  return (
    <>
      <Badge tone={bmc.phase === 'Ready' ? 'warn' : 'bad'}>{first.reason}</Badge>{' '}
      <span title={first.what}>{first.what}</span>
    </>
  );
}

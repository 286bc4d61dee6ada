import type { LeaseStatus } from '../../../cli/status/overview.ts';
import { Time } from '../../common/time.tsx';
import { PhaseBadge } from '../parts/phase-badge.tsx';
import type { Column } from '../table/columns.ts';

export const LEASE_COLUMNS: readonly Column<LeaseStatus>[] = [
  {
    id: 'address',
    title: 'Address',
    text: ({ address }) => address,
    order: ({ address }) => (address === '-' ? undefined : address),
    cell: ({ address }) => <span class="mono">{address === '-' ? 'None yet' : address}</span>,
    narrow: 'first',
  },
  {
    id: 'state',
    title: 'State',
    text: ({ state }) => state,
    cell: ({ state }) => <PhaseBadge phase={state} />,
    narrow: 'end',
  },
  {
    id: 'vm',
    title: 'Virtual machine',
    text: ({ namespace, name }) => (name === '-' ? 'Reserved by an administrator' : `${namespace}/${name}`),
    share: 3,
    narrow: 'second',
  },
  {
    id: 'mac',
    title: 'MAC address',
    text: ({ macAddress }) => macAddress,
    cell: ({ macAddress }) => <span class="mono">{macAddress}</span>,
    from: 'medium',
  },
  {
    id: 'seen',
    title: 'Last seen',
    text: () => '',
    order: ({ lastSeen }) => (lastSeen === undefined ? undefined : Date.parse(lastSeen)),
    isLargestFirst: true,
    cell: ({ lastSeen }) => <span class="quiet">{lastSeen === undefined ? 'Never' : <Time at={lastSeen} />}</span>,
    from: 'medium',
  },
];

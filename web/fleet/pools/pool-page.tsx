import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { LeaseStatus, PoolStatus } from '../../../cli/status/overview.ts';
import { Card, Facts } from '../../common/card.tsx';
import { Empty, Message } from '../../common/states.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { PhaseBadge } from '../parts/phase-badge.tsx';
import { ObjectProblems } from '../parts/problem-list.tsx';
import { UsageBar } from '../parts/usage-bar.tsx';
import { linkTo } from '../routes.ts';
import { SearchedTable } from '../table/searched-table.tsx';
import { AddressGrid } from './address-grid.tsx';
import { addressMapOf } from './address-map.ts';
import { LEASE_COLUMNS } from './lease-columns.tsx';
import { poolParts } from './pool-parts.ts';

/** One pool: what is wrong, its addresses, and who has which. */
export function PoolPage({ of }: { of: { namespace: string; name: string } }): JSX.Element {
  const { overview, troubles } = useFleet();
  const pool = overview.pools.find(({ namespace, name }) => namespace === of.namespace && name === of.name);
  const problems = troubles.of('IPPool', of);
  return (
    <>
      <p>
        <a href={linkTo({ place: 'pools' })}>All IP pools</a>
      </p>
      {pool === undefined ? (
        <Message tone="warn">There is no such pool. It may have been deleted.</Message>
      ) : (
        <>
          <ObjectProblems problems={problems} />
          <PoolContent pool={pool} />
        </>
      )}
    </>
  );
}

function PoolContent({ pool }: { pool: PoolStatus }): JSX.Element {
  const { overview } = useFleet();
  const leases = useMemo(
    () => overview.leases.filter((lease) => lease.pool === pool.name && lease.poolNamespace === pool.namespace),
    [overview.leases, pool],
  );
  const map = useMemo(() => addressMapOf(pool, leases), [pool, leases]);
  return (
    <>
      <div class="cards pool-head">
        <Card title="Usage" aside={<PhaseBadge phase={pool.phase} />}>
          <UsageBar label="Addresses" parts={poolParts(pool)} />
        </Card>
        <Card title="Network">
          <Facts
            of={[
              ['Network', <span class="mono">{pool.network}</span>],
              ['Addresses', pool.cidr === '-' ? 'None' : <span class="mono">{pool.cidr}</span>],
              ['Range', pool.start === '-' ? undefined : <span class="mono">{`${pool.start} – ${pool.end}`}</span>],
              ['Excluded', pool.excluded.length === 0 ? 'None' : <span class="mono">{pool.excluded.join(', ')}</span>],
              ['Router', pool.router && <span class="mono">{pool.router}</span>],
              ['DHCP servers', <span class="mono">{pool.servers.join(', ')}</span>],
              ['Agents ready', pool.agents],
            ]}
          />
        </Card>
      </div>
      {map !== undefined && (
        <Card title="Address map">
          {map.isCut && <Message>The first 65,536 addresses of the pool are shown.</Message>}
          <AddressGrid map={map} />
        </Card>
      )}
      <Leases leases={leases} />
    </>
  );
}

function Leases({ leases }: { leases: readonly LeaseStatus[] }): JSX.Element {
  const [text, setText] = useState('');
  return (
    <section class="leases" aria-labelledby="leases">
      <h2 id="leases">Who has which address</h2>
      <SearchedTable
        label="Leases"
        columns={LEASE_COLUMNS}
        rows={leases}
        total={leases.length}
        what={leases.length === 1 ? 'lease' : 'leases'}
        hint="A machine, an address, a state"
        text={text}
        onText={setText}
        keyOf={({ address, macAddress }) => `${address} ${macAddress}`}
        empty={
          <div class="card">
            <Empty icon="grid" title={leases.length === 0 ? 'No address is leased' : 'No lease matches the search'} />
          </div>
        }
      />
    </section>
  );
}

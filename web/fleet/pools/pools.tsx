import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PoolStatus } from '../../../cli/status/overview.ts';
import { Badge } from '../../common/badge.tsx';
import { Button } from '../../common/button.tsx';
import { TextField } from '../../common/field.tsx';
import { Empty } from '../../common/states.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { PhaseBadge } from '../parts/phase-badge.tsx';
import { UsageBar } from '../parts/usage-bar.tsx';
import { linkTo } from '../routes.ts';
import { poolParts } from './pool-parts.ts';

/** Cards shown before `Show more`. */
const PAGE = 60;
/** With fewer pools there is nothing to search. */
const SEARCHED = 7;

/** All pools: how full each is, and what is wrong with it. */
export function Pools(): JSX.Element {
  const { overview, troubles } = useFleet();
  const [text, setText] = useState('');
  const [count, setCount] = useState(PAGE);
  const { pools } = overview;
  const found = pools
    .filter(({ namespace, name, network, cidr }) => `${namespace}/${name} ${network} ${cidr}`.includes(text.trim()))
    .map((pool) => ({ pool, ill: troubles.of('IPPool', pool).length }))
    .sort((a, b) => Number(b.ill > 0) - Number(a.ill > 0));
  if (pools.length === 0)
    return (
      <div class="card">
        <Empty icon="grid" title="There is no IP pool">
          An IPPool gives a VM network a DHCP server: examples/ippool.yaml shows how.
        </Empty>
      </div>
    );
  return (
    <>
      {pools.length >= SEARCHED && (
        <div class="toolbar">
          <div class="grow">
            <TextField label="Search" type="search" value={text} onInput={setText} placeholder="A pool or a network" />
          </div>
        </div>
      )}
      {found.length === 0 && (
        <div class="card">
          <Empty icon="grid" title="No pool matches the search" />
        </div>
      )}
      <div class="cards">
        {found.slice(0, count).map(({ pool, ill }) => (
          <PoolCard key={`${pool.namespace}/${pool.name}`} pool={pool} ill={ill} />
        ))}
      </div>
      {found.length > count && (
        <div class="buttons">
          <Button
            onClick={() => {
              setCount(count + PAGE);
            }}
          >
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

function PoolCard({ pool, ill }: { pool: PoolStatus; ill: number }): JSX.Element {
  return (
    <section class="card tile">
      <header>
        <h2>
          <a href={linkTo({ place: 'pools', object: pool })}>
            {pool.name} <span class="quiet small">{pool.namespace}</span>
          </a>
        </h2>
        {ill > 0 ? (
          <Badge tone="bad">
            {ill} {ill === 1 ? 'problem' : 'problems'}
          </Badge>
        ) : (
          <PhaseBadge phase={pool.phase} />
        )}
      </header>
      <p class="quiet">
        Network <span class="mono">{pool.network}</span>
        {pool.cidr !== '-' && (
          <>
            {' '}
            · <span class="mono">{pool.cidr}</span>
          </>
        )}{' '}
        · agents {pool.agents}
      </p>
      <UsageBar label={`Addresses of ${pool.name}`} parts={poolParts(pool)} />
    </section>
  );
}

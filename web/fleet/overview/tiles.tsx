import type { ComponentChildren, JSX } from 'preact';
import { Badge } from '../../common/badge.tsx';
import type { BmcStatus } from '../../../cli/status/overview.ts';
import { useFleet } from '../data/fleet-context.ts';
import { PhaseBadge } from '../parts/phase-badge.tsx';
import { poolParts, sumOfPools } from '../pools/pool-parts.ts';
import { inDigits, type Part, UsageBar } from '../parts/usage-bar.tsx';
import { rolloutParts } from '../pages/rollout-parts.ts';
import { linkTo } from '../routes.ts';

/** The numbers of the cluster; each leads to its page. */
export function Tiles(): JSX.Element {
  return (
    <div class="cards tiles">
      <BmcTile />
      <PoolTile />
      <ManagerTile />
      <RolloutTile />
    </div>
  );
}

function Tile({
  title,
  link,
  number,
  aside,
  children,
}: {
  title: string;
  link: string;
  number: number;
  aside?: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <section class="card tile">
      <header>
        <h2>
          <a href={link}>{title}</a>
        </h2>
        {aside}
      </header>
      <p class="number">{inDigits(number)}</p>
      {children}
    </section>
  );
}

function BmcTile(): JSX.Element {
  const { overview, troubles } = useFleet();
  const { bmcs } = overview;
  const ill = bmcs.filter((bmc) => troubles.ofBmc(bmc).length > 0).length;
  return (
    <Tile
      title="BMCs"
      link={linkTo({ place: 'bmcs' })}
      number={bmcs.length}
      aside={<Ill count={ill} link={linkTo({ place: 'bmcs', filters: { show: 'ill' } })} />}
    >
      <UsageBar label="Power of the machines" parts={powerParts(bmcs)} />
    </Tile>
  );
}

function powerParts(bmcs: readonly BmcStatus[]): Part[] {
  const count = (...states: string[]): number => bmcs.filter(({ power }) => states.includes(power)).length;
  const known: Part[] = [
    { name: 'on', count: count('On'), look: 'good' },
    { name: 'off', count: count('Off'), look: 'quiet' },
  ];
  const rare: Part[] = [
    { name: 'changing', count: count('PoweringOn', 'PoweringOff'), look: 'accent' },
    { name: 'paused', count: count('Paused'), look: 'warn' },
    { name: 'without a VM', count: count('missing'), look: 'bad' },
    { name: 'unknown', count: count('?'), look: 'free' },
  ];
  return [...known, ...rare.filter((part) => part.count > 0)];
}

function PoolTile(): JSX.Element {
  const { overview, troubles } = useFleet();
  const { pools } = overview;
  const ill = pools.filter((pool) => troubles.of('IPPool', pool).length > 0).length;
  const sum = sumOfPools(pools);
  return (
    <Tile
      title="IP pools"
      link={linkTo({ place: 'pools' })}
      number={pools.length}
      aside={<Ill count={ill} link={linkTo({ place: 'pools' })} />}
    >
      {pools.length === 0 ? (
        <p class="quiet">No VM network has a DHCP server.</p>
      ) : (
        <UsageBar label="Addresses of all pools" parts={poolParts(sum)} />
      )}
    </Tile>
  );
}

function ManagerTile(): JSX.Element {
  const { overview } = useFleet();
  const { managers, sharedAgents, problems } = overview;
  const ill = problems.filter(({ kind }) => MANAGER_KINDS.includes(kind)).length;
  const link = linkTo({ place: 'agents' });
  return (
    <Tile title="Managers" link={link} number={managers.length} aside={<Ill count={ill} link={link} />}>
      <ul class="tile-lines">
        {managers.slice(0, 3).map(({ namespace, ready, leader }) => (
          <li key={namespace}>
            <strong>{namespace}</strong>
            <span class="quiet">
              {leader === '-' ? 'no leader election' : 'one leads'}
              {ready !== '-' && `, ${ready} pods ready`}
            </span>
          </li>
        ))}
        {managers.length === 0 && <li class="quiet">Nothing is reconciled.</li>}
        {sharedAgents.length > 0 && (
          <li class="quiet">
            {sharedAgents.length} shared {sharedAgents.length === 1 ? 'agent' : 'agents'}
          </li>
        )}
      </ul>
    </Tile>
  );
}

const MANAGER_KINDS = ['Deployment', 'Lease', 'ValidatingWebhookConfiguration', 'StatefulSet'];

function RolloutTile(): JSX.Element | null {
  const { overview } = useFleet();
  const [rollout] = overview.rollouts;
  if (rollout === undefined) return null;
  return (
    <Tile
      title="Agents"
      link={linkTo({ place: 'agents' })}
      number={rollout.total}
      aside={<PhaseBadge phase={rollout.phase} />}
    >
      <UsageBar label="Roll-out of agents" parts={rolloutParts(rollout)} />
    </Tile>
  );
}

/** How many of a kind have problems. */
function Ill({ count, link }: { count: number; link: string }): JSX.Element {
  if (count === 0) return <Badge tone="good">Well</Badge>;
  return (
    <a class="plain-link" href={link} title={`${inDigits(count)} with problems`}>
      <Badge tone="bad" icon="alert">
        {inDigits(count)}
        <span class="hidden"> with problems</span>
      </Badge>
    </a>
  );
}

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { NetworkConfigStatus, Problem } from '../../../cli/status/overview.ts';
import { Badge } from '../../common/badge.tsx';
import { Empty, Message } from '../../common/states.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { FilterButtons } from '../parts/filter-buttons.tsx';
import { PhaseBadge } from '../parts/phase-badge.tsx';
import { ObjectProblems } from '../parts/problem-list.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { WithPanel } from '../parts/with-panel.tsx';
import { linkTo, type Location } from '../routes.ts';
import type { Column } from '../table/columns.ts';
import { SearchedTable } from '../table/searched-table.tsx';

interface Row {
  readonly config: NetworkConfigStatus;
  readonly problems: readonly Problem[];
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    title: 'Network config',
    text: ({ config }) => `${config.namespace}/${config.name}`,
    cell: ({ config }) => (
      <>
        {config.name} <span class="quiet small">{config.namespace}</span>
      </>
    ),
    share: 3,
    narrow: 'first',
  },
  {
    id: 'vm',
    title: 'Virtual machine',
    text: ({ config }) => config.virtualMachine,
    from: 'wide',
  },
  {
    id: 'state',
    title: 'State',
    text: ({ config, problems: [first] }) => (first === undefined ? config.phase : `${first.reason} ${first.what}`),
    order: ({ config, problems: [first] }) => (first === undefined ? `1 ${config.phase}` : `0 ${first.reason}`),
    cell: ({ config, problems: [first] }) =>
      first === undefined ? (
        <PhaseBadge phase={config.paused === true ? 'Paused' : config.phase} />
      ) : (
        <>
          <Badge tone="bad">{first.reason}</Badge> <span title={first.what}>{first.what}</span>
        </>
      ),
    share: 3,
    narrow: 'second',
  },
  {
    id: 'addresses',
    title: 'Addresses',
    text: ({ config }) => config.interfaces.map(({ address }) => address).join(', '),
    cell: ({ config }) => (
      <span class="mono">
        {config.interfaces
          .map(({ address }) => address)
          .filter((address) => address !== '-')
          .join(', ') || 'None'}
      </span>
    ),
    share: 3,
    from: 'medium',
  },
  {
    id: 'networks',
    title: 'Networks',
    text: ({ config }) => config.interfaces.map(({ network, macAddress }) => `${network} ${macAddress}`).join(', '),
    cell: ({ config }) => [...new Set(config.interfaces.map(({ network }) => network))].join(', '),
    share: 3,
    from: 'wide',
  },
];

/** Which interfaces of which VMs get addresses. */
export function Networks({ at: { object, filters } }: { at: Location }): JSX.Element {
  const { overview, troubles } = useFleet();
  const { networkConfigs } = overview;
  const [text, setText] = useState('');
  const { show = '' } = filters;
  const all = useMemo(
    () =>
      networkConfigs
        .map((config): Row => ({ config, problems: troubles.of('VirtualMachineNetworkConfig', config) }))
        .sort((a, b) => Number(b.problems.length > 0) - Number(a.problems.length > 0)),
    [networkConfigs, troubles],
  );
  const ill = useMemo(() => all.filter(({ problems }) => problems.length > 0), [all]);
  const openKey = object && `${object.namespace}/${object.name}`;
  const close = (): void => {
    location.hash = linkTo({ place: 'networks', filters });
  };
  return (
    <WithPanel
      panel={
        object && (
          <ConfigPanel key={openKey} of={object} row={all.find((row) => keyOf(row) === openKey)} onClose={close} />
        )
      }
    >
      <FilterButtons
        label="Show"
        value={show}
        options={[
          ['', 'All', all.length],
          ['ill', 'With problems', ill.length],
        ]}
        onChange={(value) => {
          location.hash = linkTo({ place: 'networks', object, filters: { show: value } });
        }}
      />
      <SearchedTable
        label="Network configs"
        columns={COLUMNS}
        rows={show === 'ill' ? ill : all}
        total={all.length}
        what={all.length === 1 ? 'network config' : 'network configs'}
        hint="A machine, an address, a network"
        text={text}
        onText={setText}
        keyOf={keyOf}
        linkOf={({ config }) => linkTo({ place: 'networks', object: config, filters })}
        openKey={openKey}
        toneOf={({ problems }) => (problems.length > 0 ? 'ill' : '')}
        empty={
          <div class="card">
            {all.length === 0 ? (
              <Empty icon="network" title="There is no network config">
                A VirtualMachineNetworkConfig gives addresses to the interfaces of a VM; the manager makes it for VMs on
                networks with an IP pool.
              </Empty>
            ) : (
              <Empty icon="network" title="No network config matches the search and the filters" />
            )}
          </div>
        }
      />
    </WithPanel>
  );
}

function keyOf({ config }: Row): string {
  return `${config.namespace}/${config.name}`;
}

function ConfigPanel({
  of,
  row,
  onClose,
}: {
  of: { namespace: string; name: string };
  row: Row | undefined;
  onClose: () => void;
}): JSX.Element {
  const { overview } = useFleet();
  const bmc =
    row &&
    overview.bmcs.find(
      (one) => one.namespace === row.config.namespace && one.virtualMachine === row.config.virtualMachine,
    );
  return (
    <SidePanel title={of.name} subtitle={of.namespace} of={`${of.namespace}/${of.name}`} onClose={onClose}>
      {row === undefined ? (
        <Message tone="warn">There is no such network config. It may have been deleted.</Message>
      ) : (
        <>
          <div class="buttons">
            <PhaseBadge phase={row.config.paused === true ? 'Paused' : row.config.phase} />
          </div>
          {row.problems.length === 0 && <Message tone="good">Nothing is wrong with it.</Message>}
          <ObjectProblems problems={row.problems} />
          <section class="panel-section" aria-label="Interfaces">
            <h3>Interfaces of {row.config.virtualMachine}</h3>
            <ul class="lease-list">
              {row.config.interfaces.map(({ network, macAddress, address, state }) => (
                <li key={`${network} ${macAddress} ${state}`}>
                  <span class="mono">{address === '-' ? 'Waits for an address' : address}</span>
                  <PhaseBadge phase={state} />
                  <span class="mono quiet small">{macAddress}</span>
                  <span class="small">{network}</span>
                </li>
              ))}
            </ul>
          </section>
          {bmc !== undefined && (
            <p>
              Its BMC: <a href={linkTo({ place: 'bmcs', object: bmc })}>{`${bmc.namespace}/${bmc.name}`}</a>
            </p>
          )}
        </>
      )}
    </SidePanel>
  );
}

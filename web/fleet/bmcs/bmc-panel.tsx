import type { ComponentChildren, JSX } from 'preact';
import { Facts } from '../../common/card.tsx';
import { Icon, type IconName } from '../../common/icons.tsx';
import { PowerBadge } from '../../common/power-state.tsx';
import { Message } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { Copy } from '../parts/copy.tsx';
import { PhaseBadge } from '../parts/phase-badge.tsx';
import { ObjectProblems } from '../parts/problem-list.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { linkTo } from '../routes.ts';
import type { BmcRow } from './bmc-rows.ts';

interface Props {
  of: { namespace: string; name: string };
  /** Undefined: there is no such BMC, or no longer. */
  row: BmcRow | undefined;
  onClose: () => void;
}

/** Actions shown. */
const SHOWN = 8;

export function BmcPanel({ of, row, onClose }: Props): JSX.Element {
  return (
    <SidePanel title={of.name} subtitle={of.namespace} of={`${of.namespace}/${of.name}`} onClose={onClose}>
      {row === undefined ? (
        <Message tone="warn">There is no such BMC. It may have been deleted.</Message>
      ) : (
        <Content row={row} />
      )}
    </SidePanel>
  );
}

function Content({ row: { bmc, problems } }: { row: BmcRow }): JSX.Element {
  return (
    <>
      <div class="buttons">
        <PowerBadge state={bmc.power} />
        <PhaseBadge phase={bmc.phase} />
      </div>
      {problems.length === 0 && <Message tone="good">Nothing is wrong with it.</Message>}
      <ObjectProblems problems={problems} />
      <Pages bmc={bmc} />
      <Section title="Endpoints">
        <Facts
          of={[
            ['Redfish', bmc.redfish === '-' ? 'None yet' : <Copy text={bmc.redfish} what="the URL of Redfish" />],
            ['IPMI', bmc.ipmi === '-' ? 'None yet' : <Copy text={bmc.ipmi} what="the address of IPMI" />],
            [
              'All about it',
              <Copy text={`groundcrew status ${bmc.namespace}/${bmc.virtualMachine}`} what="the command" />,
            ],
          ]}
        />
      </Section>
      <Addresses bmc={bmc} />
      <Section title="Agent">
        <Facts
          of={[
            ['Pod', bmc.agent === '-' ? 'None' : <span class="mono">{bmc.agent}</span>],
            ['State', bmc.agentState === '-' ? 'None' : bmc.agentState],
            ['Restarts', bmc.restarts === 0 ? undefined : bmc.restarts],
            ['VM', bmc.virtualMachine],
          ]}
        />
      </Section>
      <Actions bmc={bmc} />
    </>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="panel-section" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** The ways to the pages of the BMC itself. */
function Pages({ bmc }: { bmc: BmcRow['bmc'] }): JSX.Element {
  if (bmc.redfish === '-') return <p class="quiet">It cannot be opened: its Redfish service has no address yet.</p>;
  const pages = `bmc/${[bmc.namespace, bmc.name].map(encodeURIComponent).join('/')}/`;
  return (
    <div class="buttons">
      <PageLink name="Open BMC" icon="server" link={pages} isFirst />
      <PageLink name="Screen" icon="screen" link={`${pages}#/screen`} />
      <PageLink name="Serial console" icon="serial" link={`${pages}#/serial`} />
    </div>
  );
}

function PageLink(props: { name: string; icon: IconName; link: string; isFirst?: boolean }): JSX.Element {
  const { name, icon, link, isFirst = false } = props;
  return (
    <a class={`button ${isFirst ? 'primary' : ''}`} href={link} target="_blank" rel="noopener">
      <Icon name={icon} />
      {name}
      {isFirst && <Icon name="external" />}
      <span class="hidden"> in a new tab</span>
    </a>
  );
}

/** The leases of its VM, and the interfaces that wait for one. */
function Addresses({ bmc }: { bmc: BmcRow['bmc'] }): JSX.Element {
  const { overview } = useFleet();
  const isOfVm = ({ namespace, name }: { namespace: string; name: string }): boolean =>
    namespace === bmc.namespace && name === bmc.virtualMachine;
  const leases = overview.leases.filter(isOfVm);
  return (
    <Section title="Addresses of its VM">
      {leases.length === 0 ? (
        <p class="quiet">No IP pool serves a network of it.</p>
      ) : (
        <ul class="lease-list">
          {leases.map(({ macAddress, address, pool, poolNamespace, state, lastSeen }) => (
            <li key={`${pool} ${macAddress}`}>
              <span class="mono">{address === '-' ? 'Waits for an address' : address}</span>
              <PhaseBadge phase={state} />
              <span class="mono quiet small">{macAddress}</span>
              <span class="small">
                {poolNamespace === undefined ? (
                  pool
                ) : (
                  <a href={linkTo({ place: 'pools', object: { namespace: poolNamespace, name: pool } })}>{pool}</a>
                )}
              </span>
              {lastSeen !== undefined && (
                <span class="quiet small">
                  Seen <Time at={lastSeen} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** What clients and the manager did with it lately. */
function Actions({ bmc }: { bmc: BmcRow['bmc'] }): JSX.Element {
  const { overview } = useFleet();
  const events = overview.events
    .filter(
      ({ kind, namespace, name }) => kind === 'VirtualMachineBMC' && namespace === bmc.namespace && name === bmc.name,
    )
    .slice(0, SHOWN);
  // The list has the newest events of all; the last action of this BMC may be older.
  const { lastAction } = bmc;
  const older =
    lastAction !== undefined &&
    events.every(({ reason, time }) => reason !== lastAction.reason || time !== lastAction.time);
  const rows = [...events, ...(older ? [{ ...lastAction, type: 'Normal' }] : [])];
  return (
    <Section title="Last actions and events">
      {rows.length === 0 ? (
        <p class="quiet">None lately.</p>
      ) : (
        <ul class="recent">
          {rows.map(({ time, reason, message, type }) => (
            <li key={`${time} ${reason}`}>
              <span class={type === 'Normal' ? 'tone-good' : 'tone-warn'}>
                <Icon name={type === 'Normal' ? 'check' : 'alert'} />
                {type !== 'Normal' && <span class="hidden">Warning: </span>}
              </span>
              <span>{message === '' ? reason : message}</span>
              <span class="quiet small">
                <Time at={time} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

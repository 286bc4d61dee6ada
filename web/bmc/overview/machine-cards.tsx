import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import { Badge, type Tone } from '../../common/badge.tsx';
import { Button } from '../../common/button.tsx';
import { Card, Facts } from '../../common/card.tsx';
import { Empty, Failure, Loading } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { Collection, ComputerSystem, EthernetInterface, Manager, NetworkProtocol } from '../redfish/resources.ts';
import { INTERFACES, MANAGER, NETWORK_PROTOCOL, SYSTEM } from '../redfish/uris.ts';

const HEALTH: Readonly<Record<string, Tone>> = { OK: 'good', Warning: 'warn', Critical: 'bad' };

export function MachineCard({ system }: { system: ComputerSystem }): JSX.Element {
  const { client, store } = useBmc();
  const refusal = useRefusal('identify');
  const isLit = system.LocationIndicatorActive === true;
  const [toggle, isBusy] = useAction(
    useCallback(async () => {
      await client.send('PATCH', SYSTEM, { LocationIndicatorActive: !isLit });
      await store.refresh(SYSTEM);
      return isLit ? 'The identification light is off.' : 'The identification light is on.';
    }, [client, store, isLit]),
  );
  const health = system.Status.HealthRollup ?? system.Status.Health ?? undefined;
  const hardware = [
    system.ProcessorSummary?.LogicalProcessorCount == null
      ? undefined
      : `${system.ProcessorSummary.LogicalProcessorCount} vCPUs`,
    system.MemorySummary?.TotalSystemMemoryGiB == null
      ? undefined
      : `${system.MemorySummary.TotalSystemMemoryGiB} GiB memory`,
  ].filter((part) => part !== undefined);
  return (
    <Card
      title="Machine"
      aside={
        <Badge tone={HEALTH[health ?? ''] ?? 'quiet'}>
          {health === undefined ? 'Health unknown' : `Health: ${health}`}
        </Badge>
      }
    >
      <Facts
        of={[
          ['Name', system.Name],
          ['Host name', system.HostName],
          ['Hardware', hardware.join(', ')],
          ['Model', [system.Manufacturer, system.Model].filter((part) => part != null).join(' ')],
          ['Serial number', system.SerialNumber && <span class="mono">{system.SerialNumber}</span>],
          ['UUID', system.UUID && <span class="mono">{system.UUID}</span>],
          ['Asset tag', system.AssetTag],
          ['Firmware', system.BiosVersion],
          ['State', system.Status.State],
        ]}
      />
      {system.Status.Conditions?.map(({ Message, Resolution }) => (
        <Failure key={Message} trouble={{ message: Message ?? '', resolution: Resolution }} />
      ))}
      <div class="buttons">
        <Button isNarrow icon="sun" isPressed={isLit} reason={refusal} isBusy={isBusy} onClick={() => void toggle()}>
          {isLit ? 'Identification light is on' : 'Identification light'}
        </Button>
      </div>
    </Card>
  );
}

/** ms: leases and a guest's own addresses have no events. */
const LOOK = 10_000;

export function NetworkCard(): JSX.Element {
  const { body, problem, refresh } = useResource<Collection<EthernetInterface>>(INTERFACES, { every: LOOK });
  return (
    <Card title="Network">
      {body === undefined && problem === undefined && <Loading what="network interfaces" />}
      {problem !== undefined && body === undefined && <Failure trouble={problem} retry={() => void refresh()} />}
      {body?.Members.length === 0 && <Empty icon="activity" title="No network interfaces" />}
      {body?.Members.map((one) => (
        <Facts
          key={one.Id}
          of={[
            ['Interface', <strong key="name">{one.Id}</strong>],
            ['MAC address', one.MACAddress && <span class="mono">{one.MACAddress}</span>],
            ['Addresses', addressesOf(one)],
            ['Gateway', one.IPv4Addresses?.find(({ Gateway }) => Gateway != null)?.Gateway],
            ['Name servers', one.NameServers?.filter((server) => server !== '').join(', ')],
            ['Link', one.LinkStatus],
          ]}
        />
      ))}
    </Card>
  );
}

function addressesOf({ IPv4Addresses = [], IPv6Addresses = [] }: EthernetInterface): JSX.Element | string {
  const all = [
    ...IPv4Addresses.map(({ Address, AddressOrigin }) => [Address, AddressOrigin === 'DHCP' ? 'lease' : AddressOrigin]),
    ...IPv6Addresses.map(({ Address }) => [Address, undefined]),
  ].filter(([address]) => address != null);
  if (all.length === 0) return 'None yet';
  return (
    <ul>
      {all.map(([address, origin]) => (
        <li key={address}>
          <span class="mono">{address}</span> {origin != null && <span class="quiet small">{origin}</span>}
        </li>
      ))}
    </ul>
  );
}

export function BmcCard(): JSX.Element {
  const manager = useResource<Manager>(MANAGER);
  const protocol = useResource<NetworkProtocol>(NETWORK_PROTOCOL);
  const ports = protocol.body;
  return (
    <Card title="BMC">
      {manager.body === undefined && manager.problem === undefined && <Loading what="the BMC" />}
      {manager.problem !== undefined && manager.body === undefined && (
        <Failure trouble={manager.problem} retry={() => void manager.refresh()} />
      )}
      {manager.body !== undefined && (
        <Facts
          of={[
            ['Product', manager.body.Model],
            ['Version', manager.body.FirmwareVersion],
            ['Running since', <Time key="since" at={manager.body.LastResetTime} />],
            ['Host name', ports?.FQDN ?? ports?.HostName],
            [
              'Redfish',
              ports &&
                `HTTPS, port ${ports.HTTPS.Port ?? 'unknown'}${ports.HTTP.ProtocolEnabled ? '; also plain HTTP' : ''}`,
            ],
            ['IPMI', ports && (ports.IPMI.ProtocolEnabled ? `On, port ${ports.IPMI.Port ?? 'unknown'}` : 'Off')],
          ]}
        />
      )}
    </Card>
  );
}

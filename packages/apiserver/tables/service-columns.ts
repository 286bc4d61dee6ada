import { arrayOr, at, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';
import { ageColumn, column, items, labelText, wide } from './column.ts';

/** Columns of `kubectl get services`. */
export const serviceColumns: Column[] = [
  column('Type', (service) => at(service, 'spec', 'type')),
  column('Cluster-IP', (service) => arrayOr(at(service, 'spec', 'clusterIPs'))[0] ?? '<none>'),
  column('External-IP', externalAddress),
  column('Port(s)', (service) => items(service, 'spec', 'ports').map(portText).join(',') || '<none>'),
  ageColumn,
  wide('Selector', (service) => labelText(at(service, 'spec', 'selector'))),
];

/** Columns of `kubectl get endpointslices`. */
export const endpointSliceColumns: Column[] = [
  column('AddressType', (slice) => slice['addressType']),
  column('Ports', (slice) => firstThree(items(slice, 'ports').map(endpointPortText))),
  column('Endpoints', (slice) =>
    firstThree(items(slice, 'endpoints').flatMap((endpoint) => arrayOr(endpoint['addresses']).map(textOr))),
  ),
  ageColumn,
];

function externalAddress(service: ApiObject): string {
  const fixed = arrayOr(at(service, 'spec', 'externalIPs')).map(textOr);
  switch (at(service, 'spec', 'type')) {
    case 'ExternalName':
      return textOr(at(service, 'spec', 'externalName'));
    case 'LoadBalancer': {
      const ingress = items(service, 'status', 'loadBalancer', 'ingress')
        .map((point) => textOr(point['ip']) || textOr(point['hostname']))
        .filter((text) => text !== '');
      return [...[...new Set(ingress)].sort(), ...fixed].join(',') || '<pending>';
    }
    default:
      return fixed.join(',') || '<none>';
  }
}

function portText({ port, nodePort, protocol }: JsonObject): string {
  const node = typeof nodePort === 'number' && nodePort > 0 ? `:${nodePort}` : '';
  return `${Number(port)}${node}/${textOr(protocol)}`;
}

function endpointPortText({ port, name }: JsonObject): string {
  return typeof port === 'number' ? String(port) : textOr(name) || '*';
}

function firstThree(texts: string[]): string {
  const shown = texts.slice(0, 3).join(',') || '<unset>';
  return texts.length > 3 ? `${shown} + ${texts.length - 3} more...` : shown;
}

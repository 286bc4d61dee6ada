import type { Card, Machine } from './machine.ts';
import type { Network } from './network.ts';

/** What commands about the network can see. */
export interface NetworkView {
  machine: Machine;
  network: Network;
}

/** `/etc/resolv.conf`. */
export function resolvConf({ machine: { cards }, network }: NetworkView): string {
  const leases = cards.flatMap((card) => network.system(card) ?? []);
  const servers = [...new Set(leases.flatMap(({ dns }) => dns))];
  const domains = [...new Set(leases.flatMap(({ search }) => search))];
  return [
    ...servers.map((server) => `nameserver ${server}\n`),
    ...(domains.length === 0 ? [] : [`search ${domains.join(' ')}\n`]),
  ].join('');
}

/** `ip addr`, `ip route`. */
export function ip(what: string, { machine: { cards }, network }: NetworkView): string {
  if (/^r(o?|ou?|out?|oute?)$/.test(what)) return cards.map((card) => routesOf(card, network)).join('');
  if (!/^a(d?d?r?|ddress)$/.test(what)) return 'Usage: ip addr | ip route\n';
  const loopback =
    '1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN\n' +
    '    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n';
  return loopback + cards.map((card, index) => cardLines(card, network, index + 2)).join('');
}

function cardLines(card: Card, network: Network, number: number): string {
  const { device, mac } = card;
  const lease = network.system(card);
  const link = `${number}: ${device}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu ${lease?.mtu ?? 1500} state UP\n    link/ether ${mac} brd ff:ff:ff:ff:ff:ff\n`;
  const address = addressOf(card, network);
  if (address === undefined) return link;
  return `${link}    inet ${address} scope global ${lease === undefined ? '' : 'dynamic '}${device}\n`;
}

/** On the pod network it is as KubeVirt has made it up. */
function addressOf(card: Card, network: Network): string | undefined {
  if (card.network === undefined) return card.address === undefined ? undefined : `${card.address}/16`;
  const lease = network.system(card);
  return lease === undefined ? undefined : `${lease.address}/${lease.prefix}`;
}

function routesOf(card: Card, network: Network): string {
  const lease = network.system(card);
  if (lease === undefined) return '';
  const { address, gateway, routes = [] } = lease;
  const ways = [...(gateway === undefined ? [] : [{ destination: 'default', gateway }]), ...routes];
  return ways
    .map(({ destination, gateway: by }) => {
      const via = by === '0.0.0.0' ? '' : ` via ${by}`;
      return `${destination}${via} dev ${card.device} proto dhcp src ${address}\n`;
    })
    .join('');
}

/** `networkctl renew`. */
export function networkctl([verb, device]: readonly string[], { machine: { cards }, network }: NetworkView): string {
  if (verb !== 'renew' || device === undefined) return 'Usage: networkctl renew DEVICE\n';
  const card = cards.find((candidate) => candidate.device === device);
  if (card === undefined) return `Failed to resolve interface "${device}": No such device\n`;
  network.renew(card);
  return '';
}

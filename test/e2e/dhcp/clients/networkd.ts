import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkNamespace } from '../../../harness/namespaces/index.ts';
import type { ServerProcess } from '../../../harness/process.ts';
import { findTool } from '../../../tools/index.ts';

/** It applies the address and the routes only: no DNS, no host name. */
const NETWORK = `
[Match]
Name=eth0
[Network]
DHCP=ipv4
IPv6AcceptRA=no
LinkLocalAddressing=no
[DHCPv4]
UseDNS=no
UseHostname=no
UseNTP=no
UseDomains=no
`;

/** With a separate /run, because the host uses its own; if /sys is writable it waits for udev. */
const ELSEWHERE = [
  'mount -t tmpfs none /run',
  'mkdir -p /run/systemd/netif /run/systemd/network',
  'cp "$1" /run/systemd/network/10-eth0.network',
  'chown -R systemd-network /run/systemd/netif',
  'mount -o remount,ro /sys',
  'exec "$2"',
].join(' && ');

/** systemd-networkd in a namespace; its settings are read from the kernel. */
export class Networkd {
  readonly #namespace: NetworkNamespace;
  readonly #process: ServerProcess;

  constructor({ namespace, folder }: { namespace: NetworkNamespace; folder: string }) {
    mkdirSync(folder, { recursive: true });
    const network = join(folder, 'eth0.network');
    writeFileSync(network, NETWORK);
    this.#namespace = namespace;
    this.#process = namespace.process('sh', ['-c', ELSEWHERE, 'sh', network, findTool('systemd-networkd') ?? ''], {
      log: join(folder, 'log'),
      env: { PATH: process.env['PATH'], SYSTEMD_LOG_LEVEL: 'debug', SYSTEMD_LOG_TARGET: 'console' },
    });
  }

  start(): void {
    this.#process.start();
  }

  /** Addresses with prefix lengths. */
  addresses(): string[] {
    const [device] = JSON.parse(this.#namespace.ip('-j', '-4', 'addr', 'show', 'dev', 'eth0')) as Device[]; // ip's form
    return device?.addr_info?.map(({ local, prefixlen }) => `${local}/${prefixlen}`) ?? [];
  }

  /** Routes from DHCP: `192.168.5.0/24 10.77.0.253`. */
  routes(): string[] {
    const routes = JSON.parse(this.#namespace.ip('-j', 'route', 'show', 'proto', 'dhcp')) as Route[]; // ip's form
    return routes.flatMap(({ dst, gateway }) => (gateway === undefined ? [] : [`${dst} ${gateway}`])).sort();
  }

  log(): string {
    return this.#process.logTail();
  }

  async close(): Promise<void> {
    await this.#process.dispose();
  }
}

interface Device {
  addr_info?: { local: string; prefixlen: number }[];
}

interface Route {
  dst: string;
  gateway?: string;
}

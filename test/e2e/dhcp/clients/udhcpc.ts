import { prefixOf, pairs, words } from './words.ts';
import type { ClientKind } from './client.ts';

const OPTIONS = ['search', 'ntpsrv', 'mtu', 'hostname', 'domain', 'router', 'dns'];

/** BusyBox udhcpc. */
export const udhcpc: ClientKind = {
  tool: 'udhcpc',
  // Its `-r` sets a requested address in DISCOVER, not INIT-REBOOT.
  remembers: false,
  commandLine: ({ device, hook, classlessRoutes = true, checksAddress = false }) => [
    'udhcpc',
    ...['-f', '-t', '20', '-T', '1', '-A', '1', '-i', device, '-s', hook],
    ...(checksAddress ? ['-a'] : []),
    ...[...OPTIONS, ...(classlessRoutes ? ['staticroutes'] : [])].flatMap((option) => ['-O', option]),
  ],
  configure: `case "$1" in
  bound|renew) ip addr replace "$ip/$mask" dev "$interface" ;;
  deconfig|nak) ip addr flush dev "$interface" ;;
esac`,
  bindingOf: ({ reason, variables }) => {
    if (reason !== 'bound' && reason !== 'renew') return undefined;
    const said = (name: string) => variables[name] ?? '';
    return {
      address: `${said('ip')}/${said('mask') === '' ? prefixOf(said('subnet')) : said('mask')}`,
      server: said('serverid'),
      leaseTime: Number(said('lease')),
      router: said('router'),
      dns: words(said('dns')),
      domain: said('domain'),
      search: words(said('search')),
      ntp: words(said('ntpsrv')),
      mtu: Number(said('mtu')),
      hostname: said('hostname'),
      routes: pairs(said('staticroutes')),
    };
  },
  isLoss: ({ reason, variables }) => reason === 'nak' || (reason === 'deconfig' && variables['ip'] === undefined),
  renewSignal: 'SIGUSR1',
  release: 'SIGUSR2',
};

import type { Topic } from './row.ts';

const BY_HAND = '-H $H -p $P -U $U -P $W';
const FENCE = 'ipmitool -I lan -H $H -p $P -U $U -P $W -L administrator -N 2';

/** IPMI 1.5 sessions with a BMC that has `ipmi15: true`. */
export const IPMI15: Topic = {
  title: 'IPMI 1.5, if enabled',
  machine: 'ipmi15',
  rows: [
    {
      command: `ipmitool -I lan -A MD5 ${BY_HAND} chassis power status`,
      covers: '06/39',
      prints: 'Chassis Power is off\n',
      settles: true,
    },
    // ipmitool's default interface.
    { command: `ipmitool ${BY_HAND} chassis power status`, covers: '06/3A', prints: 'Chassis Power is off\n' },
    {
      command: `ipmitool -I lan -A NONE ${BY_HAND} chassis power status`,
      covers: '06/39',
      exit: 1,
      complains: /Authentication type NONE not supported/,
    },
    {
      command: `ipmitool -I lan -A PASSWORD ${BY_HAND} chassis power status`,
      covers: '06/39',
      exit: 1,
      complains: /Authentication type PASSWORD not supported/,
    },
    { command: 'ipmipower -D LAN -h $H:$P -u $U -p $W --stat', covers: '06/3A', prints: '127.0.0.1: off\n' },
    {
      sender: 'MAAS',
      command: 'ipmipower -W opensesspriv --driver-type LAN -h $H:$P -u $U -p $W -l OPERATOR --cycle --on-if-off',
      covers: '00/02',
      prints: '127.0.0.1: ok\n',
      effect: { instance: 'runs' },
    },
    {
      sender: 'fence_ipmilan',
      command: `${FENCE} chassis power status`,
      covers: '00/01',
      prints: /[Cc]hassis [Pp]ower is on/,
      settles: true,
    },
    {
      sender: 'fence_ipmilan',
      command: `${FENCE} chassis power off`,
      covers: '00/02',
      prints: 'Chassis Power Control: Down/Off\n',
      effect: { instance: 'gone' },
    },
    { command: 'ipmitool $L chassis power status', covers: '00/01', prints: 'Chassis Power is off\n', settles: true },
    { command: 'bmc-info -D LAN -h $H:$P -u $U -p $W', covers: '06/01', prints: /^IPMI Version +: 2\.0$/m },
  ],
};

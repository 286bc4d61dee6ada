import type { Topic } from './row.ts';

/** The ipmitool command of Ironic (`ironic/drivers/modules/ipmitool.py`); the password is in a file. */
const IRONIC = 'ipmitool -I lanplus -H $H -L ADMINISTRATOR -p $P -U $U -R 1 -N 5 -f $PASSWORD_FILE';

/** The ipmitool command of bmclib, which Rufio uses; the password is in the environment. */
const BMCLIB = 'IPMI_PASSWORD=$W ipmitool -I lanplus -U $U -E -N 5 -H $H -p $P';

/** The FreeIPMI options of MAAS (`provisioningserver/drivers/power/ipmi.py`). */
const MAAS_LOGIN = '-W opensesspriv --driver-type LAN_2_0 -h $H:$P -u $U -p $W';
const MAAS = `${MAAS_LOGIN} -I 3 -l OPERATOR`;

/** Its command line for the boot device, with the line for its setting of the boot type. */
const maasBootDevice = (bootType: string, options: string): string =>
  `printf 'Section Chassis_Boot_Flags\\nBoot_Flags_Persistent No\\n${bootType}Boot_Device PXE\\nEndSection\\n' > maas; ipmi-chassis-config ${options} --commit --filename maas`;

const IS_ON = 'Chassis Power is on\n';

/** Provisioning tools, with their exact command lines. */
export const DEPLOYERS: Topic = {
  title: 'Calls of Ironic, MAAS, Rufio and fence agents',
  machine: 'power',
  rows: [
    {
      sender: 'MAAS',
      command: maasBootDevice('BIOS_Boot_Type EFI\\n', MAAS),
      covers: '00/08',
    },
    {
      sender: 'MAAS',
      command: `ipmipower ${MAAS} --cycle --on-if-off`,
      covers: '00/02',
      prints: '127.0.0.1: ok\n',
      effect: { bootsFirst: 'interface:default' },
    },
    {
      sender: 'MAAS',
      command: `ipmipower ${MAAS} --stat`,
      covers: '00/01',
      prints: '127.0.0.1: on\n',
      settles: true,
    },
    {
      sender: 'MAAS',
      command: maasBootDevice('BIOS_Boot_Type PC-COMPATIBLE\\n', `${MAAS_LOGIN} -I 17 -l OPERATOR`),
      covers: '00/08',
    },
    {
      sender: 'MAAS',
      command: maasBootDevice('', `${MAAS_LOGIN} -I 17 -l ADMIN`),
      covers: '00/08',
      effect: { bootOverride: { target: 'Pxe', mode: 'Oneshot' } },
    },
    { sender: 'Ironic', command: `${IRONIC} power status`, covers: '00/01', prints: IS_ON },
    {
      sender: 'Ironic',
      command: `${IRONIC} -v power status`,
      covers: '00/01',
      prints: /^Chassis Power is on$/m,
      complains: /^/,
    },
    { sender: 'Ironic', command: `${IRONIC} raw 0x00 0x08 0x03 0x08`, covers: '00/08', prints: '\n' },
    {
      sender: 'Ironic',
      command: `${IRONIC} raw 0x00 0x08 0x05 0xe0 0x04 0x00 0x00 0x00`,
      covers: '00/08',
      prints: '\n',
    },
    {
      sender: 'Ironic',
      command: `${IRONIC} chassis bootparam get 5`,
      covers: '00/09',
      prints: [/^ +- Options apply to all future boots$/m, /Boot Device Selector : (.+)/, 'Force PXE', 'BIOS EFI boot'],
    },
    {
      sender: 'Ironic',
      command: `${IRONIC} raw 0x00 0x08 0x05 0xa0 0x08 0x00 0x00 0x00`,
      covers: '00/08',
      prints: '\n',
    },
    {
      sender: 'Ironic',
      command: `${IRONIC} chassis bootparam get 5`,
      covers: '00/09',
      prints: [/^ +- Options apply to only next boot$/m, 'Force Boot from default Hard-Drive', 'BIOS EFI boot'],
    },
    {
      sender: 'Ironic',
      command: `${IRONIC} chassis bootdev pxe options=persistent`,
      covers: '00/08',
      prints: 'Set Boot Device to pxe\n',
    },
    {
      sender: 'Ironic',
      command: `${IRONIC} chassis bootdev none`,
      covers: '00/08',
      prints: 'Set Boot Device to none\n',
      effect: { bootOverride: undefined },
    },
    { sender: 'Ironic', command: `${IRONIC} mc info`, covers: '06/01', prints: /^Manufacturer Name *: (.+)$/m },
    { sender: 'Ironic', command: `${IRONIC} sdr -v`, covers: '0A/23', prints: /^Sensor ID +: /m, complains: /^/ },
    {
      sender: 'Ironic',
      command: `${IRONIC} sdr dump dumped`,
      covers: '0A/23',
      prints: /^Dumping Sensor Data Repository to 'dumped'$/m,
    },
    {
      sender: 'Ironic',
      command: `${IRONIC} sol deactivate`,
      covers: '06/49',
      exit: 1,
      complains: 'Info: SOL payload already de-activated\n',
    },
    {
      sender: 'Rufio',
      command: `${BMCLIB} -C 3 chassis power status`,
      covers: '00/01',
      prints: IS_ON,
    },
    { sender: 'Rufio', command: `${BMCLIB} -C 17 chassis power status`, covers: '00/01', prints: IS_ON },
    {
      sender: 'Rufio',
      command: `${BMCLIB} -C 17 chassis bootdev pxe options=persistent,efiboot`,
      covers: '00/08',
      prints: 'Set Boot Device to pxe\n',
      effect: { bootOverride: { target: 'Pxe', mode: 'Persistent' } },
    },
    {
      sender: 'Rufio',
      command: `${BMCLIB} -C 17 chassis power cycle`,
      covers: '00/02',
      prints: 'Chassis Power Control: Cycle\n',
      effect: { instance: 'another' },
    },
    {
      sender: 'Rufio',
      command: `${BMCLIB} -C 17 chassis bootdev none options=persistent`,
      covers: '00/08',
      prints: 'Set Boot Device to none\n',
      effect: { bootOverride: undefined },
    },
    // At least the six columns that bmclib parses.
    { sender: 'Rufio', command: `${BMCLIB} -C 17 sel list`, covers: '0A/43', prints: /^(?:[^|\n]+\|){5}[^|\n]+$/m },
    { sender: 'Rufio', command: `${BMCLIB} -C 17 user list`, covers: '06/44', prints: /^ID  Name/ },
    {
      sender: 'Rufio',
      command: `${BMCLIB} -C 17 sol deactivate`,
      covers: '06/49',
      exit: 1,
      complains: 'Info: SOL payload already de-activated\n',
    },
    {
      sender: 'Rufio',
      command: `${BMCLIB} -C 17 mc reset cold`,
      covers: '06/02',
      prints: 'Sent cold reset command to MC\n',
      effect: { instance: 'same' },
    },
    {
      sender: 'Ironic',
      command: `${IRONIC} bmc reset warm`,
      covers: '06/03',
      prints: 'Sent warm reset command to MC\n',
    },
    // Fencing agents: the workload may start elsewhere only if the machine is certainly off.
    {
      sender: 'fence_ipmilan',
      command: 'ipmitool -I lanplus -H $H -p $P -U $U -P $W -L administrator -N 2 chassis power status',
      covers: '00/01',
      prints: /[Cc]hassis [Pp]ower is on/,
    },
    {
      sender: 'fence_ipmilan',
      command: 'ipmitool -I lanplus -H $H -p $P -U $U -P $W -L administrator -N 2 chassis power off',
      covers: '00/02',
      prints: 'Chassis Power Control: Down/Off\n',
      effect: { instance: 'gone' },
    },
    {
      sender: 'fence_ipmilan',
      command: 'ipmitool -I lanplus -H $H -p $P -U $U -P $W -L administrator -N 2 chassis power status',
      covers: '00/01',
      prints: /[Cc]hassis [Pp]ower is off/,
      settles: true,
    },
    {
      sender: 'fence_ipmilan',
      command: 'ipmitool -I lan -H $H -p $P -U $U -P $W -L administrator -N 2 chassis power status',
      covers: '06/39',
      exit: 1,
      complains: /Authentication type NONE not supported/,
    },
    {
      sender: 'MAAS',
      command: `ipmipower ${MAAS} --on`,
      covers: '00/02',
      prints: '127.0.0.1: ok\n',
      effect: { instance: 'runs' },
    },
    {
      sender: 'MAAS',
      command: `ipmipower ${MAAS} --soft`,
      covers: '00/02',
      prints: '127.0.0.1: ok\n',
      effect: { instance: 'gone' },
    },
    { sender: 'MAAS', command: `ipmipower ${MAAS} --off`, covers: '00/02', prints: '127.0.0.1: ok\n' },
  ],
};

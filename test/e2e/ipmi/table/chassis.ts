import type { Topic } from './row.ts';

const STATUS = [
  'System Power         : on',
  'Power Overload       : false',
  'Power Interlock      : inactive',
  'Main Power Fault     : false',
  'Power Control Fault  : false',
  /^Power Restore Policy : (always-on|always-off|previous|unknown)$/m,
  /^Last Power Event     : .*$/m,
  'Chassis Intrusion    : inactive',
  'Front-Panel Lockout  : inactive',
  'Drive Fault          : false',
  'Cooling/Fan Fault    : false',
  /^Front Panel Control  : none$/m,
];

/** Chassis commands. */
export const CHASSIS: Topic = {
  title: 'Chassis',
  machine: 'quiet',
  rows: [
    { command: 'ipmitool $L chassis status', covers: '00/01', prints: STATUS },
    { command: 'ipmitool $L raw 0 0', covers: '00/00', prints: /^( [0-9a-f]{2}){5,6}\n$/ },
    {
      command: 'ipmitool $L chassis identify',
      covers: '00/04',
      prints: 'Chassis identify interval: default (15 seconds)\n',
    },
    {
      command: 'ipmitool $L chassis identify force',
      covers: '00/04',
      prints: 'Chassis identify interval: indefinite\n',
    },
    { command: 'ipmitool $L chassis identify 0', covers: '00/04', prints: 'Chassis identify interval: off\n' },
    {
      command: 'ipmitool $L chassis policy list',
      covers: '00/06',
      prints: /^Supported chassis power policy: +always-off always-on previous$/m,
    },
    { command: 'ipmitool $L chassis poh', covers: '00/0F', prints: /^POH Counter +: \d+/ },
    {
      command: 'ipmitool $L chassis restart_cause',
      covers: '00/07',
      prints: 'System restart cause: chassis power control command\n',
    },
    { command: 'ipmitool $L chassis selftest', covers: '06/04', prints: 'Self Test Results    : passed\n' },
    {
      command: 'ipmitool $L chassis power diag',
      covers: '00/02',
      exit: 1,
      complains: /^Set Chassis Power Control to Diag failed: /,
      effect: { instance: 'same' },
    },
    {
      command: 'ipmi-chassis $F --get-chassis-status',
      covers: '00/01',
      prints: [/^System Power +: on$/m, /^Power restore policy +: \S/m],
    },
    { command: 'ipmi-chassis $F --get-chassis-capabilities', covers: '00/00', prints: /^FRU Info Device Address/m },
    { command: 'ipmi-chassis $F --chassis-identify=10', covers: '00/04' },
    { command: 'ipmi-chassis $F --chassis-identify=turn-off', covers: '00/04' },
    { command: 'ipmi-chassis $F --get-system-restart-cause', covers: '00/07', prints: /^Restart cause +: \S/m },
    { command: 'ipmi-chassis $F --get-power-on-hours-counter', covers: '00/0F', prints: /^Power on hours +: \d+/m },
    {
      command: 'ipmi-chassis-config $F --checkout',
      covers: '00/09',
      prints: [/^Section Chassis_Power_Conf$/m, /^Section Chassis_Boot_Flags$/m, /Power_Restore_Policy +\S/],
    },
    { command: '$PYGHMI "set_identify(on=True)"', covers: '00/04', prints: 'null\n' },
    { command: '$PYGHMI "set_identify(on=False)"', covers: '00/04', prints: 'null\n' },
  ],
};

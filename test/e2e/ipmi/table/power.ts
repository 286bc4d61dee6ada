import type { Topic } from './row.ts';

const IS_ON = 'Chassis Power is on\n';
const IS_OFF = 'Chassis Power is off\n';

/** Power actions, in an order in which each line starts in the state after the previous one. */
export const POWER: Topic = {
  title: 'Power',
  machine: 'power',
  rows: [
    { command: 'ipmitool $L chassis power status', covers: '00/01', prints: IS_OFF },
    {
      command: 'ipmitool $L chassis power cycle',
      covers: '00/02',
      exit: 1,
      complains: 'Set Chassis Power Control to Cycle failed: Command not supported in present state\n',
    },
    {
      command: 'ipmitool $L -L USER chassis power on',
      covers: '00/02',
      exit: 1,
      complains: 'Set Chassis Power Control to Up/On failed: Insufficient privilege level\n',
      effect: { instance: 'gone' },
    },
    {
      command: 'ipmitool $L chassis power on',
      covers: '00/02',
      prints: 'Chassis Power Control: Up/On\n',
      effect: { instance: 'runs' },
    },
    { command: 'ipmitool $L chassis power status', covers: '00/01', prints: IS_ON },
    { command: 'ipmitool $L -C 3 chassis power status', covers: '00/01', prints: IS_ON },
    { command: 'ipmitool $L -C 17 chassis power status', covers: '00/01', prints: IS_ON },
    { command: 'ipmitool $L -L OPERATOR chassis power status', covers: '00/01', prints: IS_ON },
    { command: 'ipmitool $L -L USER chassis power status', covers: '00/01', prints: IS_ON },
    {
      command: 'ipmitool $L chassis power on',
      covers: '00/02',
      prints: 'Chassis Power Control: Up/On\n',
      effect: { instance: 'same' },
    },
    {
      command: 'ipmitool $L chassis power cycle',
      covers: '00/02',
      prints: 'Chassis Power Control: Cycle\n',
      effect: { instance: 'another' },
    },
    { command: 'ipmitool $L chassis power status', covers: '00/01', prints: IS_ON, settles: true },
    // Use SMS/OS, action power cycle, 1 s.
    { command: 'ipmitool $L raw 6 0x24 4 3 0 0 10 0', covers: '06/24', prints: '\n' },
    {
      command: 'ipmitool $L mc watchdog reset',
      covers: '06/22',
      prints: 'IPMI Watchdog Timer Reset -  countdown restarted!\n',
      effect: { instance: 'another' },
    },
    { command: 'ipmitool $L sel elist', covers: '0A/43', prints: /Watchdog/ },
    { command: 'ipmitool $L chassis power status', covers: '00/01', prints: IS_ON, settles: true },
    { command: 'ipmitool $L chassis power reset', covers: '00/02', prints: 'Chassis Power Control: Reset\n' },
    { command: 'ipmitool $L chassis power status', covers: '00/01', prints: IS_ON, settles: true },
    {
      command: 'ipmitool $L chassis power soft',
      covers: '00/02',
      prints: 'Chassis Power Control: Soft\n',
      effect: { instance: 'gone' },
    },
    { command: 'ipmitool $L chassis power status', covers: '00/01', prints: IS_OFF, settles: true },
    {
      command: 'ipmipower $F --on',
      covers: '00/02',
      prints: '127.0.0.1: ok\n',
      effect: { instance: 'runs' },
    },
    { command: 'ipmipower $F --stat', covers: '00/01', prints: '127.0.0.1: on\n' },
    { command: 'ipmipower $F -I 3 --stat', covers: '00/01', prints: '127.0.0.1: on\n' },
    { command: 'ipmipower $F -I 17 --stat', covers: '00/01', prints: '127.0.0.1: on\n' },
    { command: 'ipmipower $F -l OPERATOR --stat', covers: '00/01', prints: '127.0.0.1: on\n' },
    { command: 'ipmipower $F -W opensesspriv --stat', covers: '00/01', prints: '127.0.0.1: on\n' },
    { command: 'ipmipower $F --reset', covers: '00/02', prints: '127.0.0.1: ok\n' },
    {
      command: 'ipmipower $F --off',
      covers: '00/02',
      prints: '127.0.0.1: ok\n',
      effect: { instance: 'gone' },
    },
    { command: 'ipmipower $F --stat', covers: '00/01', prints: '127.0.0.1: off\n', settles: true },
    {
      command: `$PYGHMI "set_power('on', wait=20)"`,
      covers: '00/02',
      prints: '{"powerstate": "on"}\n',
      effect: { instance: 'runs' },
    },
    { command: '$PYGHMI "get_power()"', covers: '00/01', prints: '{"powerstate": "on"}\n' },
    { command: `$PYGHMI "set_power('reset')"`, covers: '00/02', prints: '{"pendingpowerstate": "reset"}\n' },
    { command: '$PYGHMI "get_power()"', covers: '00/01', prints: '{"powerstate": "on"}\n', settles: true },
    {
      command: `$PYGHMI "set_power('shutdown', wait=20)"`,
      covers: '00/02',
      prints: '{"powerstate": "off"}\n',
      effect: { instance: 'gone' },
    },
    {
      command: `$PYGHMI "set_power('boot', wait=20)"`,
      covers: '00/02',
      prints: '{"powerstate": "on"}\n',
      effect: { instance: 'runs' },
    },
    {
      command: `$PYGHMI "set_power('off', wait=20)"`,
      covers: '00/02',
      prints: '{"powerstate": "off"}\n',
      effect: { instance: 'gone' },
    },
  ],
};

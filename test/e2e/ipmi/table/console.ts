import type { Topic } from './row.ts';

const IPMITOOL = `$TERMINAL 'Use ~? for help]'`;
const ENDED = `'~.' 'terminated ipmitool]'`;

/** Serial over LAN: a prompt, an echo, and the end of the session, in a real terminal. */
export const CONSOLE: Topic = {
  title: 'Serial over LAN',
  machine: 'quiet',
  rows: [
    {
      command: `${IPMITOOL} '\\r' 'vm-1' ${ENDED} -- ipmitool $L sol activate`,
      covers: '06/48',
      prints: [/^\[SOL Session operational\. {2}Use ~\? for help\]/, 'vm-1', /\[terminated ipmitool\]\s*$/],
    },
    {
      command: `${IPMITOOL} '\\r' 'vm-1' 'echoed\\r' 'echoed' ${ENDED} -- ipmitool $L sol activate`,
      covers: 'SOL',
      prints: [/vm-1.*echoed/, /\[terminated ipmitool\]\s*$/],
    },
    {
      command: `${IPMITOOL} '~B' 'does not support break]' ${ENDED} -- ipmitool $L sol activate`,
      covers: 'SOL',
      prints: /does not support break/,
    },
    { command: `${IPMITOOL} '\\r' 'vm-1' ${ENDED} -- ipmitool $L -C 3 sol activate`, covers: 'SOL', prints: /vm-1/ },
    { command: 'ipmitool $L sol set retry-count 5 1', covers: '0C/21' },
    // The first command in guides to serial over LAN.
    { command: 'ipmitool $L sol set volatile-bit-rate 115.2 1', covers: '0C/21' },
    {
      command: 'ipmitool $L sol info 1',
      covers: '0C/22',
      prints: [/^Retry Count +: 5$/m, /^Volatile Bit Rate \(kbps\) +: 115\.2$/m],
    },
    {
      command: `$TERMINAL '[SOL established]' '\\r' 'vm-1' '&.' 'closing the connection]' -- ipmiconsole -h $H:$P -u $U -p $W`,
      covers: '06/4E',
      prints: [/^\[SOL established\]/, 'vm-1', /\[closing the connection\]\s*$/],
    },
    {
      command: `$TERMINAL '[SOL established]' '\\r' 'vm-1' 'echoed\\r' 'echoed' '&.' 'closing the connection]' -- ipmiconsole -h $H:$P -u $U -p $W -I 17`,
      covers: 'SOL',
      prints: [/vm-1.*echoed/, /\[closing the connection\]\s*$/],
    },
    { command: `$PYGHMI_CONSOLE '\\r' vm-1`, covers: '06/48', prints: /vm-1/ },
    { command: 'ipmitool $L chassis power status', covers: '00/01', prints: 'Chassis Power is on\n' },
  ],
};

import type { Topic } from './row.ts';

/** The BMC itself: its identity, health, watchdog and writable data. */
export const DEVICE: Topic = {
  title: 'BMC',
  machine: 'quiet',
  rows: [
    {
      command: 'ipmitool $L mc info',
      covers: '06/01',
      prints: [
        /^Firmware Revision +: \d+\.\d+$/m,
        /^IPMI Version +: 2\.0$/m,
        /^Manufacturer Name +: \S/m,
        /^Device Available +: yes$/m,
        ...['Chassis', 'FRU Inventory', 'SEL', 'SDR Repository', 'Sensor'].map((name) => `    ${name} Device\n`),
      ],
    },
    {
      command: 'ipmitool $L mc guid',
      covers: '06/37',
      prints: [/^System GUID +: [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/m, /^GUID Encoding : IPMI$/m],
    },
    { command: 'ipmitool $L mc selftest', covers: '06/04', prints: 'Selftest: passed\n' },
    { command: 'ipmitool $L mc getenables', covers: '06/2F', prints: /^System Event Logging +: enabled$/m },
    { command: `ipmitool $L mc setsysinfo system_name web-1`, covers: '06/58' },
    { command: 'ipmitool $L mc getsysinfo system_name', covers: '06/59', prints: 'web-1\n' },
    {
      command: 'ipmitool $L mc watchdog get',
      covers: '06/25',
      prints: /^Watchdog Timer Use:.*\n(?:.+\n){5,}/m,
    },
    { command: 'ipmitool $L raw 6 0x24 4 0 0 0 0x58 2', covers: '06/24', prints: '\n' },
    { command: 'ipmitool $L mc watchdog get', covers: '06/25', prints: /^Initial Countdown: +60(?:\.0)? sec$/m },
    {
      command: 'ipmitool $L mc watchdog reset',
      covers: '06/22',
      prints: 'IPMI Watchdog Timer Reset -  countdown restarted!\n',
    },
    { command: 'ipmitool $L mc watchdog off', covers: '06/24', prints: /^Watchdog Timer Shutoff successful/ },
    { command: 'ipmitool $L raw 6 7', covers: '06/07', prints: / 00 00\n/ },
    { command: 'ipmitool $L raw 6 8', covers: '06/08', prints: /^( [0-9a-f]{2}){16}\n$/ },
    {
      command: 'ipmitool $L mc reset cold',
      covers: '06/02',
      prints: 'Sent cold reset command to MC\n',
      effect: { instance: 'same' },
    },
    {
      command: 'ipmitool $L mc reset warm',
      covers: '06/03',
      prints: 'Sent warm reset command to MC\n',
      effect: { instance: 'same' },
    },
    {
      command: 'ipmitool $L mc getenables',
      covers: '06/2F',
      prints: /^System Event Logging +: enabled$/m,
      settles: true,
    },
    { command: 'ipmitool $L raw 6 0xff', covers: 'C1', exit: 1, complains: /rsp=0xc1\): Invalid command/ },
    {
      command: 'bmc-info $F',
      covers: '06/01',
      prints: [
        /^IPMI Version +: 2\.0$/m,
        /^Device GUID +: [0-9a-f-]{36}$/m,
        /^System GUID +: [0-9a-f-]{36}$/m,
        /^Self Test Result|^Channel Information/m,
      ],
    },
    { command: 'bmc-device $F --get-self-test-results', covers: '06/04', prints: /^All tests passed|no error/im },
    {
      command: 'bmc-device $F --get-acpi-power-state',
      covers: '06/07',
      prints: 'ACPI System Power State : S0/G0\nACPI Device Power State : D0\n',
    },
    { command: 'bmc-device $F --cold-reset', covers: '06/02' },
    { command: '$PYGHMI "reset_bmc()"', covers: '06/02', prints: 'null\n' },
    { command: '$PYGHMI "get_mci()"', covers: '2C/09', prints: /^".*"\n$/, settles: true },
    { command: '$PYGHMI "get_firmware()"', covers: '06/01', prints: /^\[.*\]\n$/ },
  ],
};

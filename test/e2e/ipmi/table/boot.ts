import type { Row, Topic } from './row.ts';

function bootdev(word: string, flags: string, spoken: string): Row[] {
  return [
    { command: `ipmitool $L chassis bootdev ${word}`, covers: '00/08', prints: `Set Boot Device to ${word}\n` },
    {
      command: 'ipmitool $L chassis bootparam get 5',
      covers: '00/09',
      prints: bootFlags(flags, 'only next boot', 'PC Compatible (legacy)', spoken),
    },
  ];
}

/** The boot override, set and read back. The machine is off until the last rows. */
export const BOOT: Topic = {
  title: 'Boot device',
  machine: 'boot',
  rows: [
    ...bootdev('pxe', '8004000000', 'Force PXE'),
    ...bootdev('disk', '8008000000', 'Force Boot from default Hard-Drive'),
    ...bootdev('bios', '8018000000', 'Force Boot into BIOS Setup'),
    ...bootdev('none', '8000000000', 'No override'),
    {
      command: 'ipmitool $L chassis bootdev pxe options=efiboot,persistent',
      covers: '00/08',
      prints: 'Set Boot Device to pxe\n',
      effect: { bootOverride: { target: 'Pxe', mode: 'Persistent' } },
    },
    { command: 'ipmitool $L raw 0 9 5 0 0', covers: '00/09', prints: ' 01 05 e0 04 00 00 00\n' },
    {
      command: 'ipmitool $L chassis bootparam get 5',
      covers: '00/09',
      prints: bootFlags('e004000000', 'all future boots', 'EFI', 'Force PXE'),
    },
    {
      command: 'ipmitool $L chassis bootdev disk clear-cmos=yes',
      covers: '00/08',
      prints: 'Set Boot Device to disk\n',
    },
    {
      command: 'ipmitool $L chassis bootparam get 5',
      covers: '00/09',
      prints: ['Boot parameter data: 8088000000\n', '   - CMOS Clear\n', 'Force Boot from default Hard-Drive'],
    },
    {
      command: 'ipmitool $L chassis bootdev floppy',
      covers: '00/08',
      complains: 'Set Chassis Boot Parameter 5 failed: Invalid data field in request\n',
    },
    ...[0, 3, 4, 6, 7].map((parameter) => ({
      command: `ipmitool $L chassis bootparam get ${parameter}`,
      covers: '00/09',
      prints: new RegExp(`^Boot parameter ${parameter} is valid/unlocked$`, 'm'),
    })),
    {
      command: `$PYGHMI "set_bootdev('network', persist=False, uefiboot=True)"`,
      covers: '00/08',
      prints: '{"bootdev": "network"}\n',
      effect: { bootOverride: { target: 'Pxe', mode: 'Oneshot' } },
    },
    {
      command: '$PYGHMI "get_bootdev()"',
      covers: '00/09',
      prints: '{"bootdev": "network", "persistent": false, "uefimode": true}\n',
    },
    {
      command: `$PYGHMI "set_bootdev('hd', persist=True)"`,
      covers: '00/08',
      prints: '{"bootdev": "hd"}\n',
      effect: { bootOverride: { target: 'Hdd', mode: 'Persistent' } },
    },
    {
      command: '$PYGHMI "get_bootdev()"',
      covers: '00/09',
      prints: '{"bootdev": "hd", "persistent": true, "uefimode": false}\n',
    },
    {
      command: `$PYGHMI "set_bootdev('default')"`,
      covers: '00/08',
      prints: '{"bootdev": "default"}\n',
      effect: { bootOverride: undefined },
    },
    {
      command:
        'ipmi-chassis-config $F --commit -e Chassis_Boot_Flags:Boot_Flags_Persistent=No -e Chassis_Boot_Flags:Boot_Device=PXE',
      covers: '00/08',
      effect: { bootOverride: { target: 'Pxe', mode: 'Oneshot' } },
    },
    {
      command: 'ipmi-chassis-config $F --checkout -S Chassis_Boot_Flags',
      covers: '00/09',
      prints: [/^\s+Boot_Flags_Persistent\s+No$/m, /^\s+BIOS_Boot_Type\s+PC-COMPATIBLE$/m, /^\s+Boot_Device\s+PXE$/m],
    },
    {
      command: 'ipmitool $L chassis power on',
      covers: '00/02',
      prints: 'Chassis Power Control: Up/On\n',
      effect: { bootsFirst: 'interface:default' },
    },
    {
      command: 'ipmitool $L chassis bootparam get 5',
      covers: '00/09',
      prints: ['Boot parameter data: 0000000000\n', '   - Boot Device Selector : No override\n'],
      settles: true,
    },
    {
      command: 'ipmitool $L chassis power cycle',
      covers: '00/02',
      prints: 'Chassis Power Control: Cycle\n',
      effect: { bootsFirst: 'disk:root' },
    },
    {
      command: 'ipmitool $L chassis bootdev bios options=efiboot',
      covers: '00/08',
      prints: 'Set Boot Device to bios\n',
      effect: { bootOverride: { target: 'BiosSetup', mode: 'Oneshot' } },
    },
    {
      command: 'ipmitool $L chassis power cycle',
      covers: '00/02',
      prints: 'Chassis Power Control: Cycle\n',
      effect: { bootsFirst: 'disk:root' },
    },
    {
      command: 'ipmitool $L chassis bootparam get 5',
      covers: '00/09',
      prints: ['Boot parameter data: 0000000000\n', '   - Boot Device Selector : No override\n'],
      settles: true,
    },
    { command: 'ipmitool $L chassis power status', covers: '00/01', prints: 'Chassis Power is on\n' },
  ],
};

function bootFlags(flags: string, boots: string, firmware: string, device: string): string {
  return [
    'Boot parameter version: 1',
    'Boot parameter 5 is valid/unlocked',
    `Boot parameter data: ${flags}`,
    ' Boot Flags :',
    '   - Boot Flag Valid',
    `   - Options apply to ${boots}`,
    `   - BIOS ${firmware} boot `,
    `   - Boot Device Selector : ${device}`,
    '   - BIOS verbosity : System Default',
    '   - Console Redirection control : Console redirection occurs per BIOS configuration setting (default)',
    '   - BIOS Mux Control Override : BIOS uses recommended setting of the mux at the end of POST',
    '',
  ].join('\n');
}

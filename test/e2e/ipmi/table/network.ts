import type { Topic } from './row.ts';

/** LAN configuration, channels, sessions and serial over LAN, read only. */
export const NETWORK: Topic = {
  title: 'LAN, channels and sessions',
  machine: 'quiet',
  rows: [
    {
      command: 'ipmitool $L lan print 1',
      covers: '0C/02',
      prints: [
        /^Set in Progress +: Set Complete$/m,
        /^IP Address +: \d+\.\d+\.\d+\.\d+$/m,
        /^RMCP\+ Cipher Suites +: .*3.*17/m,
        /^Cipher Suite Priv Max +: \S/m,
        /^Bad Password Threshold +: \d/m,
      ],
    },
    // Kubernetes assigns the address, and the owner sets the rest in the spec. ipmitool does not print why it exits
    // with 1.
    { command: 'ipmitool $L lan set 1 bad_pass_thresh 7 1 60 60', covers: '0C/01', exit: 1 },
    {
      command: 'ipmitool $L lan set 1 ipaddr 10.0.0.1',
      covers: '0C/01',
      exit: 1,
      prints: 'Setting LAN IP Address to 10.0.0.1\n',
    },
    { command: 'ipmitool $L lan print', covers: '0C/02', prints: /^IP Address Source +: \S/m },
    { command: 'ipmitool $L lan stats clear 1', covers: '0C/04' },
    // ipmitool prints the numbers with their bytes swapped.
    { command: 'ipmitool $L lan stats get 1', covers: '0C/04', prints: /^RMCP Rx Valid +: [1-9]\d*$/m },
    {
      command: 'bmc-device $F --get-lan-statistics',
      covers: '0C/04',
      prints: [/^Valid RMCP packets received +: \d\d$/im, /^IP packets transmitted +: \d\d$/im],
    },
    {
      command: 'ipmitool $L channel info 1',
      covers: '06/42',
      prints: [/^Channel 0x1 info:$/m, /Channel Medium Type +: 802\.3 LAN/, /Session Support +: multi-session/],
    },
    {
      command: 'ipmitool $L channel getaccess 1 2',
      covers: '06/44',
      prints: [/^User ID +: 2$/m, /Privilege Level +: ADMINISTRATOR/],
    },
    {
      command: 'ipmitool $L channel getciphers ipmi 1',
      covers: '06/54',
      prints: /^3 .*hmac_sha1 .*\n17 .*hmac_sha256 .*$/m,
    },
    {
      command: 'ipmitool $L session info active',
      covers: '06/3D',
      prints: [/^session handle +: \d+$/m, /^privilege level +: ADMINISTRATOR$/m],
    },
    {
      command: 'ipmitool $L sol info 1',
      covers: '0C/22',
      prints: [
        /^Enabled +: true$/m,
        /^Character Accumulate Level/m,
        /^Payload Channel +: 1/m,
        /^Payload Port +: \d+$/m,
      ],
    },
    { command: 'ipmitool $L sol payload status 1 2', covers: '06/4D', prints: /^User 2 on channel 1 is enabled$/m },
    {
      command: 'ipmitool $L sol deactivate',
      covers: '06/49',
      exit: 1,
      complains: 'Info: SOL payload already de-activated\n',
    },
    { command: 'ipmitool $L raw 6 0x4a 1', covers: '06/4A', prints: /^( [0-9a-f]{2}){3}\n$/ },
    { command: 'ipmitool $L raw 6 0x4e 0x0e', covers: '06/4E', prints: /^( [0-9a-f]{2}){8}\n$/ },
    {
      command: 'bmc-config $F --checkout',
      covers: '0C/02',
      // As for every BMC without one of its sections: this BMC has no serial channel.
      exit: 1,
      prints: [/^Section User2$/m, /^Section Lan_Channel$/m, /^Section Lan_Conf$/m],
    },
    { command: '$PYGHMI "get_net_configuration()"', covers: '0C/02', prints: /"ipv4_address"/ },
  ],
};

import { COMMANDS } from '../../protocols/ipmi/commands/command-list.ts';
import type { Command } from '../../protocols/ipmi/commands/command.ts';
import { PRIVILEGE } from '../../protocols/ipmi/message/codes.ts';
import { tableRow } from './document.ts';

/** NetFn/Cmd of a command in hex, as in the specification. */
export function numberOf({ netFn, command }: Pick<Command, 'netFn' | 'command'>): string {
  return [netFn, command].map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('/');
}

/** The table of all commands of the BMC. */
export function commandsPart(): string[] {
  const sorted = COMMANDS.toSorted((a, b) => a.netFn - b.netFn || a.command - b.command);
  return [
    '',
    tableRow(['NetFn/Cmd', 'command', 'level', 'effect', 'source']),
    tableRow(['---', '---', '---', '---', '---']),
    ...sorted.map(line),
    '',
  ];
}

function line(command: Command): string {
  const number = numberOf(command);
  const { does = '', backing = '' } = COMMAND_TEXTS[number] ?? {};
  return tableRow([number, command.name, levelOf(command), does, backing]);
}

function levelOf({ privilege }: Command): string {
  if (privilege === 'None') return 'none';
  return Object.entries(PRIVILEGE).find(([, level]) => level === privilege)?.[0] ?? String(privilege);
}

/** The effect of each command and the source of its data. Key: NetFn/Cmd in hex, as in the specification. */
export const COMMAND_TEXTS: Readonly<Record<string, { does: string; backing: string }>> = {
  '00/00': { does: 'addresses of the chassis devices', backing: 'constant: the address of the BMC' },
  '00/01': {
    does: 'power, last event, restore policy, identify state',
    backing: 'VMI status, run strategy, event log',
  },
  '00/02': {
    does: 'off, on, cycle, reset, soft; diag is refused: KubeVirt has no NMI',
    backing: 'KubeVirt subresources',
  },
  '00/04': { does: 'interval, force, off', backing: 'state of the agent: a VM has no LED' },
  '00/06': {
    does: 'lists and sets the policies; a machine that is off can only stay off',
    backing: 'run strategy of the VM',
  },
  '00/07': { does: 'cause of the last start', backing: 'actions of the BMC, event log' },
  '00/08': {
    does: 'parameters 0 to 7, with valid bits and the 60 s expiry',
    backing: 'boot order and firmware of the VM',
  },
  '00/09': { does: 'parameters 0 to 7', backing: 'status of the BMC' },
  '00/0A': { does: 'accepts only the present state: there is no panel', backing: 'constant' },
  '00/0B': { does: 'accepts only 0: KubeVirt cannot delay a restart', backing: 'constant' },
  '00/0F': { does: 'time since power-on', backing: 'VMI status, stored by the BMC' },
  '04/02': { does: 'adds an event of a client to the event log', backing: 'event log' },
  '04/10': { does: 'platform event filtering: not supported', backing: 'constant' },
  '04/11': { does: 'the timer stays disabled: there is nothing to postpone', backing: 'constant' },
  '04/12': { does: 'accepts only present values', backing: 'constant' },
  '04/13': { does: 'no filters and no actions, as parameters', backing: 'constant' },
  '04/14': { does: 'stores a record ID for clients', backing: 'state of the BMC' },
  '04/15': { does: 'last event, and what clients stored', backing: 'event log, state of the BMC' },
  '04/24': { does: 'accepts only the present setting', backing: 'sensor' },
  '04/25': { does: 'hysteresis of a sensor: none', backing: 'sensor' },
  '04/26': { does: 'refused: thresholds cannot be set', backing: 'sensor' },
  '04/27': { does: 'thresholds of a sensor: none are readable', backing: 'sensor' },
  '04/28': { does: 'accepts only the present setting', backing: 'sensor' },
  '04/29': { does: 'events that a sensor generates', backing: 'sensor' },
  '04/2B': { does: 'active events of a sensor', backing: 'sensor' },
  '04/2D': {
    does: 'reading, or "unavailable" without data',
    backing: 'spec, VMI status, metrics.k8s.io',
  },
  '04/2F': { does: 'type of a sensor and of its events', backing: 'sensor' },
  '06/01': { does: 'firmware version, IPMI 2.0, capabilities', backing: 'version of Groundcrew' },
  '06/02': { does: 'ends all sessions, identify and watchdog; the VM keeps running', backing: 'agent' },
  '06/03': { does: 'ends all other sessions; the VM keeps running', backing: 'agent' },
  '06/04': { does: '55 00: no error', backing: 'agent' },
  '06/06': { does: 'accepts only the present state', backing: 'VMI status' },
  '06/07': { does: 'S0/G0 and D0, or S5/G2 and D3', backing: 'VMI status' },
  '06/08': { does: 'GUID of the BMC', backing: 'UID of the VirtualMachineBMC' },
  '06/22': { does: 'starts the countdown', backing: 'state of the BMC' },
  '06/24': { does: 'use, timeout, action; no pre-timeout interrupt', backing: 'state of the BMC; acts on the VM' },
  '06/25': { does: 'settings and present countdown', backing: 'agent' },
  '06/2E': { does: 'accepts only the present setting: the event log is on', backing: 'constant' },
  '06/2F': { does: 'event logging on', backing: 'constant' },
  '06/37': { does: 'UUID of the VM, byte order of IPMI', backing: 'VM spec' },
  '06/38': { does: 'authentication types on channels 1 and 0xE', backing: 'VirtualMachineBMC spec' },
  '06/39': { does: 'challenge of IPMI 1.5 with MD5; only with `ipmi15`', backing: 'accounts' },
  '06/3A': { does: 'starts an IPMI 1.5 session; only with `ipmi15`', backing: 'accounts' },
  '06/3B': { does: 'up to the limit of channel, user and RAKP 1', backing: 'session' },
  '06/3C': { does: 'closes the own session; administrators also others', backing: 'session' },
  '06/3D': { does: 'users and addresses of sessions', backing: 'sessions' },
  '06/40': { does: 'refused for fixed settings', backing: 'channel' },
  '06/41': { does: 'always available, up to administrator', backing: 'channel' },
  '06/42': { does: 'medium, protocol, sessions', backing: 'channel' },
  '06/43': { does: 'level, messaging', backing: 'accounts' },
  '06/44': { does: 'level, messaging; 16 users', backing: 'accounts' },
  '06/45': { does: 'creates, renames or removes a user', backing: 'accounts' },
  '06/46': { does: 'name of a user', backing: 'accounts' },
  '06/47': { does: 'sets, tests, enables, disables; 16 or 20 bytes', backing: 'accounts, Secret' },
  '06/48': { does: 'opens serial over LAN', backing: 'serial console of KubeVirt' },
  '06/49': { does: 'closes it; operators also that of others', backing: 'session' },
  '06/4A': { does: 'whether it is active', backing: 'session' },
  '06/4B': { does: 'session that has it', backing: 'session' },
  '06/4C': { does: 'serial over LAN for a user', backing: 'accounts' },
  '06/4D': { does: 'serial over LAN for a user', backing: 'accounts' },
  '06/4E': { does: 'IPMI and SOL on channels 1 and 0xE; others are refused', backing: 'channel' },
  '06/4F': { does: '1.0', backing: 'constant' },
  '06/54': { does: 'supported cipher suites, also before a session', backing: 'VirtualMachineBMC spec' },
  '06/55': { does: 'resumes encryption; suspending it is refused', backing: 'session' },
  '06/56': { does: 'reports that K_G is locked; it is in the Secret', backing: 'Secret' },
  '06/57': { does: 'refused: there is no system interface', backing: 'constant' },
  '06/58': {
    does: 'firmware version, system name, operating system, as written by clients',
    backing: 'state of the BMC',
  },
  '06/59': {
    does: 'the same; default: names of the VM and of its operating system',
    backing: 'state of the BMC, VM, guest agent',
  },
  '0A/10': { does: 'size of device 0', backing: 'FRU' },
  '0A/11': { does: 'chassis, board and product', backing: 'VM spec and metadata, VMI status' },
  '0A/12': { does: 'refused (0x80): the data is that of the VM', backing: 'FRU' },
  '0A/20': { does: 'number of records; the timestamp changes only with the sensors', backing: 'sensors' },
  '0A/21': { does: 'as many units as records, none free', backing: 'sensors' },
  '0A/22': { does: 'a reservation', backing: 'session' },
  '0A/23': { does: 'records, also in parts', backing: 'sensors' },
  '0A/24': { does: 'refused (0xC4): there is no space for other records', backing: 'sensors' },
  '0A/27': { does: 'no erasure is in progress; erasing is refused (0xD6)', backing: 'sensors' },
  '0A/28': { does: 'the clock of the event log', backing: 'clock of the node, state of the BMC' },
  '0A/29': { does: 'sets it', backing: 'state of the BMC' },
  '0A/40': { does: 'entries, free space, last addition and erase', backing: 'event log' },
  '0A/41': { does: 'allocation units of the log', backing: 'event log' },
  '0A/42': { does: 'a reservation', backing: 'session' },
  '0A/43': {
    does: 'power, boot, media, failed log-ins with user and source, records of clients',
    backing: 'event log',
  },
  '0A/44': { does: 'stores a record of a client unchanged', backing: 'event log' },
  '0A/46': { does: 'deletes one record', backing: 'event log' },
  '0A/47': { does: 'deletes all records and logs the user', backing: 'event log' },
  '0A/48': { does: 'time of the event log', backing: 'clock of the node and the offset set by a client' },
  '0A/49': { does: 'stored as offset from the clock of the node', backing: 'state of the BMC' },
  '0A/5C': { does: 'offset of the time', backing: 'state of the BMC' },
  '0A/5D': { does: 'the same', backing: 'state of the BMC' },
  '0C/01': {
    does: 'accepts only present values and Set In Progress',
    backing: 'Service, VirtualMachineBMC spec',
  },
  '0C/02': { does: 'address, suites, lockout', backing: 'Service, VirtualMachineBMC spec' },
  '0C/04': { does: 'datagrams received and sent, since the agent serves IPMI', backing: 'agent' },
  '0C/21': {
    does: 'enable, level, intervals, retries; bit rates are stored without effect',
    backing: 'state of the BMC',
  },
  '0C/22': { does: 'the same, and the port', backing: 'state of the BMC' },
  '2C/01': { does: 'DCMI: capabilities', backing: 'constant, event log' },
  '2C/02': { does: 'DCMI: power is not measured', backing: 'constant' },
  '2C/06': { does: 'DCMI: asset tag', backing: 'VM spec, state of the BMC' },
  '2C/07': { does: 'DCMI: temperature sensors: none', backing: 'sensors' },
  '2C/08': { does: 'DCMI: asset tag', backing: 'state of the BMC' },
  '2C/09': { does: 'DCMI: identifier of the controller', backing: 'name of the VM, state of the BMC' },
  '2C/0A': { does: 'DCMI: identifier of the controller', backing: 'state of the BMC' },
  '2C/10': { does: 'DCMI: temperatures: none', backing: 'constant' },
};

/** The commands that clients need, by NetFn: a client fails without them or has a subcommand for them. */
const WANTED: Readonly<Record<number, readonly number[]>> = {
  0x00: [0x00, 0x01, 0x02, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0f],
  0x04: [0x02, 0x25, 0x26, 0x27, 0x29, 0x2b, 0x2d],
  0x06: [
    ...[
      0x01, 0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x22, 0x24, 0x25, 0x2e, 0x2f, 0x37, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d,
    ],
    ...[0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f],
    ...[0x54, 0x55, 0x56, 0x57, 0x58, 0x59],
  ],
  0x0a: [0x10, 0x11, 0x12, 0x20, 0x21, 0x22, 0x23, 0x40, 0x42, 0x43, 0x44, 0x46, 0x47, 0x48, 0x49],
  0x0c: [0x01, 0x02, 0x21, 0x22],
};

export const WANTED_COMMANDS: readonly { netFn: number; command: number }[] = Object.entries(WANTED).flatMap(
  ([netFn, commands]) => commands.map((command) => ({ netFn: Number(netFn), command })),
);

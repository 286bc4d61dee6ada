import { COMMANDS } from '../../protocols/ipmi/commands/command-list.ts';
import type { Command } from '../../protocols/ipmi/commands/command.ts';
import { PRIVILEGE } from '../../protocols/ipmi/message/privilege.ts';
import { COMMAND_TEXTS } from './command-texts.ts';
import { tableRow } from './document.ts';

/** NetFn/Cmd of a command, as the specification writes them. */
export function numberOf({ netFn, command }: Pick<Command, 'netFn' | 'command'>): string {
  return [netFn, command].map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('/');
}

/** Lines of the table of all commands that this BMC has. */
export function commandsPart(): string[] {
  const sorted = COMMANDS.toSorted((a, b) => a.netFn - b.netFn || a.command - b.command);
  return [
    '',
    tableRow(['NetFn/Cmd', 'command', 'level', 'what it does here', 'what stands behind it']),
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

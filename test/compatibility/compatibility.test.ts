import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../protocols/ipmi/commands/command-list.ts';
import { clientsPart, rowsOf } from './clients.ts';
import { COMMAND_TEXTS, commandsPart, numberOf, WANTED_COMMANDS } from './commands.ts';
import { readPart } from './document.ts';

describe('docs/compatibility.md', () => {
  it('lists the rows of the table of clients (if not: npm run -s compatibility)', () => {
    expect(rowsOf(readPart('ipmi clients'))).toEqual(rowsOf(clientsPart({})));
  });

  it('lists the commands of the BMC (if not: npm run -s compatibility -- commands)', () => {
    expect(readPart('ipmi commands')).toEqual(commandsPart());
  });
});

describe('the commands of the BMC', () => {
  it('include all that clients need', () => {
    const there = new Set(COMMANDS.map(numberOf));
    expect(WANTED_COMMANDS.map(numberOf).filter((number) => !there.has(number))).toEqual([]);
  });

  it('each have a description', () => {
    expect(COMMANDS.map(numberOf).filter((number) => COMMAND_TEXTS[number] === undefined)).toEqual([]);
  });
});

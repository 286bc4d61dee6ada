import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../protocols/ipmi/commands/command-list.ts';
import { clientsPart, rowsOf } from './clients-part.ts';
import { COMMAND_TEXTS } from './command-texts.ts';
import { commandsPart, numberOf } from './commands-part.ts';
import { readPart } from './document.ts';
import { WANTED_COMMANDS } from './wanted-commands.ts';

describe('docs/compatibility.md', () => {
  it('lists the rows that real clients are run with (stale: npm run -s compatibility)', () => {
    expect(rowsOf(readPart('ipmi clients'))).toEqual(rowsOf(clientsPart({})));
  });

  it('lists the commands as the BMC has them (stale: npm run -s compatibility -- commands)', () => {
    expect(readPart('ipmi commands')).toEqual(commandsPart());
  });
});

describe('the commands of the BMC', () => {
  it('are all that clients need', () => {
    const there = new Set(COMMANDS.map(numberOf));
    expect(WANTED_COMMANDS.map(numberOf).filter((number) => !there.has(number))).toEqual([]);
  });

  it('each have a text that says what they do here', () => {
    expect(COMMANDS.map(numberOf).filter((number) => COMMAND_TEXTS[number] === undefined)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { MachineError, type MachineErrorCode } from '../../machine/index.ts';
import { PRIVILEGE } from '../message/codes.ts';
import { aRequest } from '../testing/a-request.ts';
import { commandBench } from '../testing/run-command.ts';
import { PEER } from '../testing/test-bmc.ts';
import { chassisControl } from './chassis/chassis-control.ts';
import { getChassisStatus } from './chassis/get-chassis-status.ts';
import { COMMANDS } from './command-list.ts';
import { CommandTable } from './command-table.ts';

const SESSION_COMMANDS = COMMANDS.filter((command) => command.privilege !== 'None');
const LEVELS = Object.values(PRIVILEGE);

const REQUEST = aRequest({ netFn: 0x2c, command: 0x3e });

describe('CommandTable', () => {
  it('rejects two commands with the same number', () => {
    expect(() => new CommandTable([getChassisStatus, getChassisStatus])).toThrow(/same number/);
  });

  it('answers 0xC1 to an unknown command, even at the lowest privilege level', async () => {
    const { bmc, session } = commandBench();
    const context = { bmc, session: session(1), peer: PEER, now: 0 };
    const outcome = await new CommandTable(COMMANDS).execute(undefined, REQUEST, context);
    expect(outcome).toMatchObject({ completionCode: 0xc1, data: Buffer.alloc(0) });
  });

  it('answers 0xC2 to another LUN', async () => {
    const { bmc, session } = commandBench();
    const request = { ...REQUEST, netFn: 0, command: 1, responderLun: 1 };
    const context = { bmc, session: session(), peer: PEER, now: 0 };
    expect(await new CommandTable(COMMANDS).execute(getChassisStatus, request, context)).toMatchObject({
      completionCode: 0xc2,
    });
  });

  it.each(SESSION_COMMANDS)('answers 0xD4 to $name without a session', async (command) => {
    expect(await commandBench().answer(command, '', null)).toBe('d4');
  });

  it.each(SESSION_COMMANDS)('answers 0xD4 to $name below its privilege level', async (command) => {
    const bench = commandBench();
    for (const level of LEVELS.filter((lower) => lower < command.privilege)) {
      const request = '00'.repeat(command.requestLength[0]);
      expect(await bench.answer(command, request, bench.session(level))).toBe('d4');
    }
  });

  it.each(COMMANDS)('answers 0xC7 to $name with too much data', async (command) => {
    const tooMuch = '00'.repeat(command.requestLength[1] + 1);
    expect(await commandBench().answer(command, tooMuch)).toBe('c7');
  });

  it.each(COMMANDS.filter((command) => command.requestLength[0] > 0))(
    'answers 0xC7 to $name without data and with one byte too few',
    async (command) => {
      const short = '00'.repeat(command.requestLength[0] - 1);
      const bench = commandBench();
      expect([await bench.answer(command), await bench.answer(command, short)]).toEqual(['c7', 'c7']);
    },
  );

  it.each<[MachineErrorCode, string]>([
    ['Busy', 'c0'],
    ['InvalidState', 'd5'],
    ['NotSupported', 'cc'],
    ['Forbidden', 'd4'],
    ['Unavailable', 'd3'],
  ])('maps the machine error %s to 0x%s', async (code, completionCode) => {
    const bench = commandBench();
    bench.bmc.machine.nextError = new MachineError(code, 'not today');
    expect(await bench.answer(chassisControl, '01')).toBe(completionCode);
  });

  it('maps other errors to 0xFF and keeps them for the log', async () => {
    const bench = commandBench();
    const error = new TypeError('a bug');
    bench.bmc.machine.nextError = error;
    expect(await bench.run(chassisControl, '01')).toEqual({ completionCode: 0xff, data: Buffer.alloc(0), error });
  });
});

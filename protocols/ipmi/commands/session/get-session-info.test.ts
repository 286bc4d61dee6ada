import { describe, expect, it } from 'vitest';
import { uint32 } from '../../message/integers.ts';
import { commandBench } from '../../testing/run-command.ts';
import { encodeSessionInfo, getSessionInfo as command } from './get-session-info.ts';

/** Handle, 63 or more possible, active, user, privilege, type and channel, address, MAC, port 40000. */
const FIRST_OF_TWO = '00 01 3f 02 02 04 11 c0 00 02 07 00 00 00 00 00 00 40 9c';
const SECOND_OF_TWO = '00 02 3f 02 02 03 11 c0 00 02 07 00 00 00 00 00 00 40 9c';

describe('Get Session Info', () => {
  it.each([
    ['this session', '00', FIRST_OF_TWO],
    ['the first', '01', FIRST_OF_TWO],
    ['the second', '02', SECOND_OF_TWO],
    ['one by handle', 'fe02', SECOND_OF_TWO],
    ['a free slot', '03', '00 00 3f 02'],
    ['the last free slot', '40', '00 00 3f 02'],
    ['no slot after the last', '41', 'cb'],
    ['no handle 3', 'fe03', 'cb'],
    ['no session 1', 'ff01000000', 'cb'],
    ['a handle that is missing', 'fe', 'c7'],
    ['an ID that is too short', 'ff010000', 'c7'],
    ['data after an index', '0100', 'c7'],
  ])('finds %s', async (_name, data, answer) => {
    const bench = commandBench();
    const mine = bench.session();
    bench.session(3);
    expect(await bench.answer(command, data, mine)).toBe(answer);
  });

  it('finds one by ID', async () => {
    const bench = commandBench();
    const mine = bench.session();
    bench.session(3);
    expect(await bench.answer(command, `ff${uint32(mine.id).toString('hex')}`, mine)).toBe(FIRST_OF_TWO);
  });

  it.each([
    ['::ffff:198.51.100.3', 'c6336403'],
    ['2001:db8::1', '00000000'],
  ])('encodes the address %s as %s', (address, hex) => {
    const bench = commandBench();
    const session = bench.session();
    session.peer = { address, port: 1 };
    expect(encodeSessionInfo(bench.bmc, session).subarray(6, 10).toString('hex')).toBe(hex);
  });
});

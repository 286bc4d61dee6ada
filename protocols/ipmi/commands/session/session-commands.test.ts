import { beforeEach, describe, expect, it } from 'vitest';
import { uint32 } from '../../message/integers.ts';
import { type CommandBench, commandBench } from '../../testing/run-command.ts';
import { getChannelAuthenticationCapabilities } from './get-channel-authentication-capabilities.ts';
import { closeSession, encodeSessionInfo, getSessionInfo, setSessionPrivilegeLevel } from './session-commands.ts';

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
});

function hexOf(id: number): string {
  return uint32(id).toString('hex');
}

describe('Close Session', () => {
  it.each([1, 4] as const)('closes its own session at privilege level %i', async (privilege) => {
    const session = bench.session(privilege);
    expect(await bench.answer(closeSession, hexOf(session.id), session)).toBe('00');
    expect(session.isOpen).toBe(false);
  });

  it('closes another session by handle for an administrator', async () => {
    const [mine, other] = [bench.session(), bench.session()];
    expect(await bench.answer(closeSession, `000000000${other.handle}`, mine)).toBe('00');
    expect([mine.isOpen, other.isOpen]).toEqual([true, false]);
  });

  it('does not close other sessions below Administrator', async () => {
    const other = bench.session();
    expect(await bench.answer(closeSession, hexOf(other.id), bench.session(3))).toBe('d4');
    expect(other.isOpen).toBe(true);
  });

  it.each([
    ['an ID', '01020304', '87'],
    ['a handle', '0000000009', '88'],
  ])('reports that %s does not exist', async (_name, data, answer) => {
    expect(await bench.answer(closeSession, data)).toBe(answer);
  });

  it.each(['00000000', '0102030401'])('accepts a handle only with ID 0: %s', async (data) => {
    expect(await bench.answer(closeSession, data)).toBe('c7');
  });
});

describe('Set Session Privilege Level', () => {
  it.each([
    ['02', '00 02'],
    ['03', '00 03'],
    ['04', '00 04'],
    ['f4', '00 04'],
  ])('sets level %s', async (data, answer) => {
    expect(await bench.answer(setSessionPrivilegeLevel, data)).toBe(answer);
  });

  it('changes nothing for level 0', async () => {
    const session = bench.session();
    await bench.answer(setSessionPrivilegeLevel, '03', session);
    expect(await bench.answer(setSessionPrivilegeLevel, '00', session)).toBe('00 03');
  });

  it.each([
    ['Administrator in a session for Operator', '04', '81'],
    ['OEM', '05', '81'],
    ['Callback', '01', 'cc'],
    ['a reserved level', '06', 'cc'],
  ])('rejects %s and keeps the level', async (_name, data, answer) => {
    const session = bench.session(3);
    expect(await bench.answer(setSessionPrivilegeLevel, data, session)).toBe(answer);
    expect(session.privilege).toBe(3);
  });
});

/** Handle, 63 possible, active, user, privilege, type and channel, address, MAC, port 40000. */
const FIRST_OF_TWO = '00 01 3f 02 02 04 11 c0 00 02 07 00 00 00 00 00 00 40 9c';
const SECOND_OF_TWO = '00 02 3f 02 02 03 11 c0 00 02 07 00 00 00 00 00 00 40 9c';

describe('Get Session Info', () => {
  it.each([
    ['this session', '00', FIRST_OF_TWO],
    ['the first', '01', FIRST_OF_TWO],
    ['the second', '02', SECOND_OF_TWO],
    ['one by handle', 'fe02', SECOND_OF_TWO],
    ['a free slot', '03', '00 00 3f 02'],
    ['the last free slot', '3f', '00 00 3f 02'],
    ['no slot after the last', '40', 'cb'],
    ['no handle 3', 'fe03', 'cb'],
    ['no session 1', 'ff01000000', 'cb'],
    ['a handle that is missing', 'fe', 'c7'],
    ['an ID that is too short', 'ff010000', 'c7'],
    ['data after an index', '0100', 'c7'],
  ])('finds %s', async (_name, data, answer) => {
    const mine = bench.session();
    bench.session(3);
    expect(await bench.answer(getSessionInfo, data, mine)).toBe(answer);
  });

  it('finds one by ID', async () => {
    const mine = bench.session();
    bench.session(3);
    expect(await bench.answer(getSessionInfo, `ff${uint32(mine.id).toString('hex')}`, mine)).toBe(FIRST_OF_TWO);
  });

  it.each([
    ['::ffff:198.51.100.3', 'c6336403'],
    ['2001:db8::1', '00000000'],
  ])('encodes the address %s as %s', (address, hex) => {
    const session = bench.session();
    session.peer = { address, port: 1 };
    expect(encodeSessionInfo(bench.bmc, session).subarray(6, 10).toString('hex')).toBe(hex);
  });
});

describe('Get Channel Authentication Capabilities', () => {
  it.each(['8e04', '8104'])('reports IPMI 2.0 and named users for channel %s', async (data) => {
    expect(await bench.answer(getChannelAuthenticationCapabilities, data, null)).toBe('00 01 80 04 02 00 00 00 00');
  });

  it('reports a configured K_G', async () => {
    bench = commandBench({ hasBmcKey: () => true });
    expect(await bench.answer(getChannelAuthenticationCapabilities, '8e04', null)).toBe('00 01 80 24 02 00 00 00 00');
  });

  it('offers no authentication type for IPMI 1.5', async () => {
    expect(await bench.answer(getChannelAuthenticationCapabilities, '0e04', null)).toBe('00 01 00 04 00 00 00 00 00');
  });

  it.each(['8004', '8204', '8f04', '8e06', '8e0f'])('answers 0xCC to %s', async (data) => {
    expect(await bench.answer(getChannelAuthenticationCapabilities, data, null)).toBe('cc');
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../../../machine/index.ts';
import { type CommandBench, commandBench } from '../../testing/run-command.ts';
import { activatePayload, deactivatePayload, suspendResumePayloadEncryption } from './payload-activation.ts';
import { getChannelPayloadSupport, getChannelPayloadVersion } from './channel-payloads.ts';
import { getPayloadActivationStatus, getPayloadInstanceInfo } from './payload-status.ts';
import { getUserPayloadAccess, setUserPayloadAccess } from './user-payload-access.ts';

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
});

/** The request of ipmitool: SOL, instance 1, encrypted and authenticated. */
const ACTIVATE = '01 01 c6 00 00 00';
const DEACTIVATE = '01 01 00 00 00 00';
const ACTIVATED = '00 00 00 00 00 ff 00 ff 00 6f 02 ff ff';

describe('Activate Payload', () => {
  it('connects the session to the serial line, and returns the UDP port', async () => {
    const session = bench.session(3);
    expect(await bench.answer(activatePayload, ACTIVATE, session)).toBe(ACTIVATED);
    expect(bench.bmc.sol?.owner).toBe(session);
    expect(bench.bmc.machine.console.isOpen).toBe(true);
  });

  it('fails if a session has it already, even the same one', async () => {
    const session = bench.session();
    await bench.answer(activatePayload, ACTIVATE, session);
    expect(await bench.answer(activatePayload, ACTIVATE)).toBe('80');
    expect(await bench.answer(activatePayload, ACTIVATE, session)).toBe('80');
  });

  it.each([
    ['another payload', '00 01 c6 00 00 00', 'cc'],
    ['a second instance', '01 02 c6 00 00 00', '82'],
    ['no encryption', '01 01 46 00 00 00', '84'],
    ['no signatures', '01 01 86 00 00 00', '84'],
    ['a missing byte', '01 01 c6 00 00', 'c7'],
  ])('rejects %s', async (_name, data, answer) => {
    expect(await bench.answer(activatePayload, data)).toBe(answer);
    expect(bench.bmc.machine.console.isOpen).toBe(false);
  });

  it('requires the privilege level of the SOL configuration, default Operator', async () => {
    expect(await bench.answer(activatePayload, ACTIVATE, bench.session(2))).toBe('d4');
    await bench.bmc.solConfiguration.change({ privilege: 2 });
    expect(await bench.answer(activatePayload, ACTIVATE, bench.session(2))).toBe(ACTIVATED);
  });

  it('fails if SOL is disabled for the BMC, by a client, or for the user', async () => {
    expect(await commandBench({ sol: undefined }).answer(activatePayload, ACTIVATE)).toBe('81');
    await bench.bmc.solConfiguration.change({ enabled: false });
    expect(await bench.answer(activatePayload, ACTIVATE)).toBe('81');
    await bench.bmc.solConfiguration.change({ enabled: true });
    const session = bench.session();
    session.account = { ...session.account, id: 3 };
    expect(await bench.answer(activatePayload, ACTIVATE, session)).toBe('81');
    await bench.bmc.accounts.change(3, { name: 'operator', serialOverLan: false });
    expect(await bench.answer(activatePayload, ACTIVATE, session)).toBe('81');
    await bench.bmc.accounts.change(3, { serialOverLan: true });
    expect(await bench.answer(activatePayload, ACTIVATE, session)).toBe(ACTIVATED);
  });

  it('reports an error of the serial line', async () => {
    bench.bmc.machine.console.nextError = new MachineError('Unavailable', 'no console');
    expect(await bench.answer(activatePayload, ACTIVATE)).toBe('d3');
    expect(await bench.answer(activatePayload, ACTIVATE)).toBe(ACTIVATED);
  });
});

describe('Deactivate Payload', () => {
  it("ends the session's own SOL", async () => {
    const session = bench.session(3);
    await bench.answer(activatePayload, ACTIVATE, session);
    expect(await bench.answer(deactivatePayload, DEACTIVATE, session)).toBe('00');
    expect(bench.bmc.machine.console.isOpen).toBe(false);
    expect(await bench.answer(deactivatePayload, DEACTIVATE, session)).toBe('80');
  });

  it('lets operators end SOL of another session', async () => {
    await bench.answer(activatePayload, ACTIVATE);
    expect(await bench.answer(deactivatePayload, DEACTIVATE, bench.session(2))).toBe('d4');
    expect(await bench.answer(deactivatePayload, DEACTIVATE, bench.session(3))).toBe('00');
    expect(bench.bmc.sol?.owner).toBeUndefined();
  });

  it.each(['01 02 00 00 00 00', '01 00 00 00 00 00'])('rejects another instance: %s', async (data) => {
    await bench.answer(activatePayload, ACTIVATE);
    expect(await bench.answer(deactivatePayload, data)).toBe('80');
  });
});

describe('payload status', () => {
  it('reports the owning session', async () => {
    const session = bench.session();
    expect(await bench.answer(getPayloadActivationStatus, '01')).toBe('00 01 00 00');
    expect(await bench.answer(getPayloadInstanceInfo, '01 01')).toBe('00 00 00 00 00 01 00 00 00 00 00 00 00');
    await bench.answer(activatePayload, ACTIVATE, session);
    expect(await bench.answer(getPayloadActivationStatus, '01')).toBe('00 01 01 00');
    const { data } = await bench.run(getPayloadInstanceInfo, '01 01');
    expect(data.readUInt32LE(0)).toBe(session.id);
  });

  it.each([
    [getPayloadActivationStatus, '00'],
    [getPayloadInstanceInfo, '01 02'],
    [getPayloadInstanceInfo, '05 01'],
  ])('is available only for SOL', async (command, data) => {
    expect(await bench.answer(command, data)).toBe('cc');
  });

  it.each([
    ['00', '81'],
    ['01', '00'],
    ['02', '00'],
    ['03', 'cc'],
  ])('is always encrypted: operation %s', async (operation, answer) => {
    const session = bench.session();
    expect(await bench.answer(suspendResumePayloadEncryption, `01 01 ${operation}`, session)).toBe('83');
    await bench.answer(activatePayload, ACTIVATE, session);
    expect(await bench.answer(suspendResumePayloadEncryption, `01 01 ${operation}`, session)).toBe(answer);
  });
});

describe('channel payloads', () => {
  it.each(['0e', '01'])('are reported for channel %s', async (channel) => {
    expect(await bench.answer(getChannelPayloadSupport, channel)).toBe('00 03 00 3f 00 00 00 00 00');
    expect(await bench.answer(getChannelPayloadVersion, `${channel} 01`)).toBe('00 10');
  });

  it('are rejected for another channel', async () => {
    for (let channel = 0; channel < 256; channel += 1) {
      const answer = await bench.answer(getChannelPayloadSupport, channel.toString(16).padStart(2, '0'));
      expect(answer).toBe([0x01, 0x0e].includes(channel & 0x0f) ? '00 03 00 3f 00 00 00 00 00' : 'cc');
    }
  });

  it('do not contain SOL if it is disabled', async () => {
    bench = commandBench({ sol: undefined });
    expect(await bench.answer(getChannelPayloadSupport, '0e')).toBe('00 01 00 3f 00 00 00 00 00');
    expect(await bench.answer(getChannelPayloadVersion, '0e 01')).toBe('80');
  });

  it.each(['02', '20', '3f'])('have no version for type %s', async (type) => {
    expect(await bench.answer(getChannelPayloadVersion, `01 ${type}`)).toBe('80');
  });
});

describe('user payload access', () => {
  it('can be revoked and granted', async () => {
    expect(await bench.answer(getUserPayloadAccess, '01 03')).toBe('00 00 00 00 00');
    await bench.bmc.accounts.change(3, { name: 'operator' });
    expect(await bench.answer(getUserPayloadAccess, '01 03')).toBe('00 02 00 00 00');
    expect(await bench.answer(setUserPayloadAccess, '01 43 02 00 00 00')).toBe('00');
    expect(await bench.answer(getUserPayloadAccess, '01 03')).toBe('00 00 00 00 00');
    expect(await bench.answer(setUserPayloadAccess, '01 03 00 00 00 00')).toBe('00');
    expect(await bench.answer(getUserPayloadAccess, '01 03')).toBe('00 00 00 00 00');
    expect(await bench.answer(setUserPayloadAccess, '01 03 02 00 00 00')).toBe('00');
    expect(await bench.answer(getUserPayloadAccess, '01 03')).toBe('00 02 00 00 00');
  });

  it.each([
    ['a user ID out of range', getUserPayloadAccess, '01 11', 'c9'],
    ['another channel', getUserPayloadAccess, '02 02', 'cc'],
    ['a reserved operation', setUserPayloadAccess, '01 82 02 00 00 00', 'cc'],
    ['a user without a name', setUserPayloadAccess, '01 09 02 00 00 00', 'd5'],
    ['a user without a name, except for a revocation', setUserPayloadAccess, '01 49 02 00 00 00', '00'],
  ])('is rejected for %s', async (_name, command, data, answer) => {
    expect(await bench.answer(command, data)).toBe(answer);
  });
});

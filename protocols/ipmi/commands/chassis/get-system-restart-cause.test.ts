import { describe, expect, it } from 'vitest';
import type { MachineEvent } from '../../../machine/index.ts';
import { commandBench } from '../../testing/run-command.ts';
import { watchdogRequester } from '../watchdog/watchdog.ts';
import { getSystemRestartCause } from './system-restart-cause.ts';

const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;
const reset = { kind: 'PowerAction', action: 'ForceRestart', outcome: 'Accepted' } as const;

describe('Get System Restart Cause', () => {
  it.each<[string, MachineEvent[], string]>([
    ['nothing is known', [], '00 00 00'],
    ['a client asked for it, by the LAN channel', [{ ...reset, requester }], '00 01 01'],
    ['the watchdog did it', [{ ...reset, requester: watchdogRequester(requester) }], '00 04 00'],
  ])('reports that %s', async (_name, events, answer) => {
    const bench = commandBench();
    for (const event of events) bench.bmc.machine.log.append(event);
    expect(await bench.answer(getSystemRestartCause, '', bench.session(2))).toBe(answer);
  });
});

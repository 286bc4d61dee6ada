import { describe, expect, it } from 'vitest';
import type { MachineEvent, PowerAction } from '../../../machine/index.ts';
import { commandBench } from '../../testing/run-command.ts';
import { watchdogRequester } from '../watchdog/watchdog.ts';
import { getSystemRestartCause, lastBoot, lastPowerOn } from './system-restart-cause.ts';

const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;
const reset = { kind: 'PowerAction', action: 'ForceRestart', outcome: 'Accepted' } as const;

describe('Get System Restart Cause', () => {
  it.each<[string, MachineEvent[], string]>([
    ['the cause is unknown', [], '00 00 00'],
    ['a client requested it on the LAN channel', [{ ...reset, requester }], '00 01 01'],
    ['the watchdog requested it', [{ ...reset, requester: watchdogRequester(requester) }], '00 04 00'],
  ])('reports that %s', async (_name, events, answer) => {
    const bench = commandBench();
    for (const event of events) bench.bmc.machine.log.append(event);
    expect(await bench.answer(getSystemRestartCause, '', bench.session(2))).toBe(answer);
  });
});

const admin = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;
const on: MachineEvent = { kind: 'PowerState', state: 'On' };
const off: MachineEvent = { kind: 'PowerState', state: 'Off' };

function asked(
  action: PowerAction,
  requester: { protocol: 'IPMI' | 'Redfish'; user: string; address: string } = admin,
): MachineEvent {
  return { kind: 'PowerAction', action, outcome: 'Accepted', requester };
}

const refused: MachineEvent = { kind: 'PowerAction', action: 'On', outcome: 'Refused', requester: admin };

describe('the cause of the last boot', () => {
  it.each<[string, MachineEvent[], string, string]>([
    ['an empty log', [], 'Unknown', 'Unknown'],
    ['a power on', [asked('On'), on], 'Command', 'Command'],
    ['a power on that is under way', [asked('On')], 'Command', 'Command'],
    ['a power on of a machine that the hypervisor has started', [on, asked('On')], 'Unknown', 'Unknown'],
    [
      'a power on of a running machine, after a power cycle by the watchdog',
      [asked('PowerCycle', watchdogRequester(admin)), off, on, asked('On')],
      'Watchdog',
      'Watchdog',
    ],
    ['a power on that is under way after a power off', [on, asked('ForceOff'), off, asked('On')], 'Command', 'Command'],
    ['a power cycle', [on, asked('PowerCycle'), off, on], 'Command', 'Command'],
    ['a reset', [asked('On'), on, asked('ForceRestart')], 'Command', 'Command'],
    ['a reset after a start by the hypervisor', [on, asked('ForceRestart')], 'Command', 'Unknown'],
    ['a reset that gave it power anew', [on, asked('ForceRestart'), off, on], 'Command', 'Command'],
    ['a start by the hypervisor after one by a client', [asked('On'), on, off, on], 'Unknown', 'Unknown'],
    ['a power on that was refused', [refused, on], 'Unknown', 'Unknown'],
    ['a power off', [asked('On'), on, asked('ForceOff'), off], 'Command', 'Command'],
    ['Redfish', [asked('On', { ...admin, protocol: 'Redfish' }), on], 'Unknown', 'Unknown'],
    ['the watchdog', [on, asked('PowerCycle', watchdogRequester(admin)), off, on], 'Watchdog', 'Watchdog'],
  ])('is found after %s', (_name, events, boot, powerOn) => {
    const log = events.map((event, index) => ({ id: index + 1, at: index, event }));
    expect([lastBoot(log), lastPowerOn(log)]).toEqual([boot, powerOn]);
  });
});

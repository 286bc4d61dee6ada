import { describe, expect, it } from 'vitest';
import type { RunStrategy, VirtualMachine, VirtualMachineInstance } from '../../../../api/index.ts';
import type { PowerAction } from '../../../../protocols/machine/index.ts';
import { aGuest, aVm, aVmi } from '../../testing/builders.ts';
import { decidePower } from './decide-power.ts';
import type { PowerDecision } from './power-call.ts';

const STRATEGIES: RunStrategy[] = ['Always', 'RerunOnFailure', 'Manual', 'Halted', 'Once'];

/** A state of the machine as it looks under a run strategy; undefined where it cannot be. */
type State = (strategy: RunStrategy) => { vm: VirtualMachine; vmi?: VirtualMachineInstance } | undefined;

const ofRunning = (strategy: RunStrategy): boolean => strategy !== 'Halted';
const queues = (strategy: RunStrategy): boolean => strategy === 'Manual' || strategy === 'RerunOnFailure';
const uid = 'vmi-1';

const STATES: Record<string, State> = {
  off: (strategy) => (strategy === 'Always' || strategy === 'Once' ? undefined : { vm: aVm({ strategy }) }),
  'off, VMI kept': (strategy) =>
    strategy === 'Manual' || strategy === 'Once'
      ? { vm: aVm({ strategy }), vmi: aVmi({ phase: 'Succeeded' }) }
      : undefined,
  'start queued': (strategy) =>
    queues(strategy) ? { vm: aVm({ strategy, queue: [{ action: 'Start' }] }) } : undefined,
  'about to start': (strategy) =>
    strategy === 'Always' || strategy === 'Once' ? { vm: aVm({ strategy }) } : undefined,
  crashed: (strategy) =>
    strategy === 'RerunOnFailure' ? { vm: aVm({ strategy }), vmi: aVmi({ phase: 'Failed' }) } : undefined,
  starting: (strategy) =>
    ofRunning(strategy) ? { vm: aVm({ strategy }), vmi: aVmi({ phase: 'Scheduling' }) } : undefined,
  on: (strategy) => (ofRunning(strategy) ? { vm: aVm({ strategy }), vmi: aVmi() } : undefined),
  paused: (strategy) => (ofRunning(strategy) ? { vm: aVm({ strategy }), vmi: aVmi({ paused: true }) } : undefined),
  'shutting down': (strategy) => {
    if (strategy === 'Halted') return { vm: aVm({ strategy }), vmi: aVmi({ deleted: true }) };
    return queues(strategy)
      ? { vm: aVm({ strategy, queue: [{ action: 'Stop', uid }] }), vmi: aVmi({ deleted: true }) }
      : undefined;
  },
  'stop accepted': (strategy) => (strategy === 'Halted' ? { vm: aVm({ strategy }), vmi: aVmi() } : undefined),
  'being cut': (strategy) => {
    if (strategy === 'Halted') return { vm: aVm({ strategy }), vmi: aVmi({ deleted: true, graceSeconds: 0 }) };
    return strategy === 'Manual'
      ? { vm: aVm({ strategy, queue: [{ action: 'Stop', uid }] }), vmi: aVmi({ deleted: true, graceSeconds: 0 }) }
      : undefined;
  },
  restarting: (strategy) =>
    queues(strategy) || strategy === 'Always'
      ? { vm: aVm({ strategy, queue: [{ action: 'Stop', uid }, { action: 'Start' }] }), vmi: aVmi({ deleted: true }) }
      : undefined,
  'to be on after this': (strategy) =>
    strategy === 'Halted'
      ? {
          vm: aVm({ strategy, annotations: { 'bmc.kubevirt.io/power-on-after': uid } }),
          vmi: aVmi({ deleted: true, graceSeconds: 0 }),
        }
      : undefined,
};

/** What is to be done, in a word; `*` stands for every other run strategy that can be in the state. */
const EXPECTED: Record<
  Exclude<PowerAction, 'DiagnosticInterrupt'>,
  Record<string, Partial<Record<RunStrategy | '*', string>>>
> = {
  On: {
    off: { '*': 'start' },
    'off, VMI kept': { Manual: 'start', Once: 'set Always' },
    'start queued': { '*': 'nothing' },
    'about to start': { '*': 'nothing' },
    crashed: { '*': 'nothing' },
    starting: { '*': 'nothing' },
    on: { '*': 'nothing' },
    paused: { '*': 'nothing' },
    'shutting down': { '*': 'then on' },
    'stop accepted': { '*': 'then on' },
    'being cut': { '*': 'then on' },
    restarting: { '*': 'nothing' },
    'to be on after this': { '*': 'nothing' },
  },
  ForceOff: {
    off: { '*': 'nothing' },
    'off, VMI kept': { '*': 'nothing' },
    'start queued': { '*': 'cut' },
    'about to start': { '*': 'set Halted' },
    crashed: { '*': 'cut' },
    starting: { '*': 'cut' },
    on: { '*': 'cut' },
    paused: { '*': 'cut' },
    'shutting down': { '*': 'cut' },
    'stop accepted': { '*': 'cut' },
    'being cut': { '*': 'nothing' },
    restarting: { '*': 'cut' },
    'to be on after this': { '*': 'nothing' },
  },
  GracefulShutdown: {
    off: { '*': 'nothing' },
    'off, VMI kept': { '*': 'nothing' },
    'start queued': { '*': 'stop' },
    'about to start': { '*': 'set Halted' },
    crashed: { '*': 'stop' },
    starting: { '*': 'stop' },
    on: { '*': 'stop' },
    paused: { '*': 'stop' },
    'shutting down': { '*': 'nothing' },
    'stop accepted': { '*': 'nothing' },
    'being cut': { '*': 'nothing' },
    restarting: { '*': 'stop' },
    'to be on after this': { '*': 'nothing' },
  },
  ForceRestart: {
    off: { '*': 'InvalidState' },
    'off, VMI kept': { '*': 'InvalidState' },
    'start queued': { '*': 'nothing' },
    'about to start': { '*': 'nothing' },
    crashed: { '*': 'nothing' },
    starting: { '*': 'nothing' },
    on: { '*': 'reset' },
    paused: { '*': 'reset' },
    'shutting down': { '*': 'cut, then on' },
    'stop accepted': { '*': 'cut, then on' },
    'being cut': { '*': 'then on' },
    restarting: { '*': 'nothing' },
    'to be on after this': { '*': 'nothing' },
  },
  GracefulRestart: {
    off: { '*': 'InvalidState' },
    'off, VMI kept': { '*': 'InvalidState' },
    'start queued': { '*': 'nothing' },
    'about to start': { '*': 'nothing' },
    crashed: { '*': 'nothing' },
    starting: { '*': 'nothing' },
    on: { '*': 'softreboot' },
    paused: { '*': 'InvalidState' },
    'shutting down': { '*': 'then on' },
    'stop accepted': { '*': 'then on' },
    'being cut': { '*': 'then on' },
    restarting: { '*': 'nothing' },
    'to be on after this': { '*': 'nothing' },
  },
  Pause: {
    off: { '*': 'InvalidState' },
    'off, VMI kept': { '*': 'InvalidState' },
    'start queued': { '*': 'Busy' },
    'about to start': { '*': 'Busy' },
    crashed: { '*': 'Busy' },
    starting: { '*': 'Busy' },
    on: { '*': 'pause' },
    paused: { '*': 'nothing' },
    'shutting down': { '*': 'InvalidState' },
    'stop accepted': { '*': 'InvalidState' },
    'being cut': { '*': 'InvalidState' },
    restarting: { '*': 'Busy' },
    'to be on after this': { '*': 'Busy' },
  },
  Resume: {
    off: { '*': 'InvalidState' },
    'off, VMI kept': { '*': 'InvalidState' },
    'start queued': { '*': 'nothing' },
    'about to start': { '*': 'nothing' },
    crashed: { '*': 'nothing' },
    starting: { '*': 'nothing' },
    on: { '*': 'nothing' },
    paused: { '*': 'unpause' },
    'shutting down': { '*': 'InvalidState' },
    'stop accepted': { '*': 'InvalidState' },
    'being cut': { '*': 'InvalidState' },
    restarting: { '*': 'nothing' },
    'to be on after this': { '*': 'nothing' },
  },
  PowerCycle: {
    off: { '*': 'InvalidState' },
    'off, VMI kept': { '*': 'InvalidState' },
    'start queued': { '*': 'nothing' },
    'about to start': { '*': 'nothing' },
    crashed: { '*': 'nothing' },
    starting: { '*': 'restart', Once: 'cut, then on' },
    on: { '*': 'restart', Once: 'cut, then on' },
    paused: { '*': 'restart', Once: 'cut, then on' },
    'shutting down': { '*': 'cut, then on' },
    'stop accepted': { '*': 'cut, then on' },
    'being cut': { '*': 'then on' },
    restarting: { '*': 'nothing' },
    'to be on after this': { '*': 'nothing' },
  },
};

const ROWS = Object.entries(EXPECTED).flatMap(([action, states]) =>
  Object.entries(states).flatMap(([state, outcomes]) =>
    STRATEGIES.flatMap((strategy) => {
      const objects = STATES[state]?.(strategy);
      const outcome = outcomes[strategy] ?? outcomes['*'];
      // The keys of EXPECTED are power actions; entries() forgets that.
      return objects === undefined ? [] : [{ action: action as PowerAction, state, strategy, objects, outcome }];
    }),
  ),
);

function inAWord(decision: PowerDecision): string {
  switch (decision.do) {
    case 'nothing':
      return 'nothing';
    case 'refuse':
      return decision.code;
    case 'power on after':
      expect(decision.uid).toBe(uid);
      if (decision.stop === undefined) return 'then on';
      return `${inAWord({ do: 'call', call: decision.stop })}, then on`;
    case 'call': {
      const { call } = decision;
      if ('runStrategy' in call) return `set ${call.runStrategy}`;
      return call.subresource === 'stop' && call.gracePeriod === 0 ? 'cut' : call.subresource;
    }
  }
}

describe('a power decision', () => {
  it.each(ROWS)('$action · $strategy, $state → $outcome', ({ action, objects, outcome }) => {
    expect(inAWord(decidePower({ action, canReset: true, vmi: undefined, ...objects }))).toBe(outcome);
  });

  it('takes the deprecated spec.running for Always and Halted', () => {
    const vm = aVm();
    delete vm.spec.runStrategy;
    const running = { ...vm, spec: { ...vm.spec, running: true } };
    expect(inAWord(decidePower({ action: 'PowerCycle', vm: running, vmi: aVmi(), canReset: true }))).toBe('restart');
    expect(inAWord(decidePower({ action: 'On', vm, vmi: undefined, canReset: true }))).toBe('start');
  });

  it('makes a new VMI for a reset where the boot order has changed since the machine was powered on', () => {
    const guest = aGuest();
    guest.domain.devices.interfaces = [{ name: 'default', masquerade: {}, bootOrder: 3 }];
    const vm = aVm({ guest });
    expect(inAWord(decidePower({ action: 'ForceRestart', vm, vmi: aVmi(), canReset: true }))).toBe('restart');
    const once = aVm({ guest, strategy: 'Once' });
    expect(inAWord(decidePower({ action: 'ForceRestart', vm: once, vmi: aVmi(), canReset: true }))).toBe(
      'cut, then on',
    );
  });

  it('makes a new VMI for a reset where Secure Boot was switched since the machine was powered on', () => {
    const withSecureBoot = (secureBoot: boolean) => {
      const guest = aGuest();
      guest.domain.firmware = { bootloader: { efi: { secureBoot } } };
      return guest;
    };
    const reset = (running: boolean): string => {
      const vmi = aVmi({ guest: withSecureBoot(running) });
      return inAWord(
        decidePower({ action: 'ForceRestart', vm: aVm({ guest: withSecureBoot(true) }), vmi, canReset: true }),
      );
    };
    expect(reset(false)).toBe('restart');
    expect(reset(true)).toBe('reset');
  });

  it('makes a new VMI for a reset where KubeVirt says that the template has something for it', () => {
    const vm = aVm();
    vm.status = { ...vm.status, conditions: [{ type: 'RestartRequired', status: 'True' }] };
    expect(inAWord(decidePower({ action: 'ForceRestart', vm, vmi: aVmi(), canReset: true }))).toBe('restart');
  });

  it('shuts down and powers on in place of a reboot that would boot from an order that has changed meanwhile', () => {
    const guest = aGuest();
    guest.domain.devices.interfaces = [{ name: 'default', masquerade: {}, bootOrder: 3 }];
    for (const strategy of STRATEGIES.filter(ofRunning)) {
      const vm = aVm({ guest, strategy });
      const decision = decidePower({ action: 'GracefulRestart', vm, vmi: aVmi(), canReset: true });
      expect(inAWord(decision)).toBe('stop, then on');
    }
  });

  it('shuts down and powers on likewise where nothing in the guest would hear of a reboot', () => {
    const guest = aGuest();
    guest.domain.features = { acpi: { enabled: false } };
    const restart = (vmi: VirtualMachineInstance): string => {
      return inAWord(decidePower({ action: 'GracefulRestart', vm: aVm({ guest }), vmi, canReset: true }));
    };
    expect(restart(aVmi({ guest }))).toBe('stop, then on');
    const agent = { type: 'AgentConnected', status: 'True' } as const;
    expect(restart({ ...aVmi({ guest }), status: { phase: 'Running', conditions: [agent] } })).toBe('softreboot');
  });

  it('restarts in place of a reset where KubeVirt has none', () => {
    expect(inAWord(decidePower({ action: 'ForceRestart', vm: aVm(), vmi: aVmi(), canReset: false }))).toBe('restart');
  });

  it('takes the start off that is queued behind a stop when power is to go off', () => {
    const vm = aVm({ queue: [{ action: 'Stop', uid }, { action: 'Start' }] });
    const vmi = aVmi({ deleted: true, graceSeconds: 0 });
    expect(inAWord(decidePower({ action: 'ForceOff', vm, vmi, canReset: true }))).toBe('cut');
  });

  it('stops an Always VM whose VMI someone deleted, so that it does not come back', () => {
    const vm = aVm({ strategy: 'Always' });
    expect(inAWord(decidePower({ action: 'ForceOff', vm, vmi: aVmi({ deleted: true }), canReset: true }))).toBe('cut');
    expect(inAWord(decidePower({ action: 'On', vm, vmi: aVmi({ deleted: true }), canReset: true }))).toBe('nothing');
  });

  it('refuses what has no meaning', () => {
    const decide = (action: PowerAction, vm: VirtualMachine | undefined) =>
      inAWord(decidePower({ action, vm, vmi: undefined, canReset: true }));
    expect(decide('DiagnosticInterrupt', aVm())).toBe('NotSupported');
    expect(decide('On', undefined)).toBe('Unavailable');
    expect(decide('On', aVm({ deleted: true }))).toBe('Unavailable');
  });
});

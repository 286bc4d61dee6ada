import { describe, expect, it } from 'vitest';
import type { RunStrategy, VirtualMachine, VirtualMachineInstance } from '../../../../api/index.ts';
import type { PowerAction } from '../../../../protocols/machine/index.ts';
import { aGuest, aVm, aVmi } from '../../testing/builders.ts';
import { decidePower } from './decide-power.ts';
import type { PowerDecision } from './power-call.ts';

const STRATEGIES: RunStrategy[] = ['Always', 'RerunOnFailure', 'Manual', 'Halted', 'Once'];

/** The objects of a state of the machine with a run strategy; undefined if the state does not exist with it. */
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
  'stopping, then on': (strategy) =>
    strategy === 'Manual' || strategy === 'Halted'
      ? {
          vm: aVm({
            strategy,
            annotations: { 'bmc.kubevirt.io/power-on-after': uid },
            ...(strategy === 'Manual' ? { queue: [{ action: 'Stop', uid }] } : {}),
          }),
          vmi: aVmi({ deleted: true }),
        }
      : undefined,
  'to be on after this': (strategy) =>
    strategy === 'Halted'
      ? {
          vm: aVm({ strategy, annotations: { 'bmc.kubevirt.io/power-on-after': uid } }),
          vmi: aVmi({ deleted: true, graceSeconds: 0 }),
        }
      : undefined,
};

/** What each action does in each state. ¹ Once: cut, then on. ² Once: set Always. ³ Always: first Halted, with a grace. ⁴ Not Halted. */
const TABLE = `
                    | On      | ForceOff   | GracefulShutdown | ForceRestart | GracefulRestart | PowerCycle   | Pause        | Resume
off                 | start   | nothing    | nothing          | InvalidState | InvalidState    | InvalidState | InvalidState | InvalidState
off, VMI kept       | start²  | nothing    | nothing          | InvalidState | InvalidState    | InvalidState | InvalidState | InvalidState
start queued        | nothing | cut        | stop             | nothing      | nothing         | nothing      | Busy         | nothing
about to start      | nothing | set Halted | set Halted       | nothing      | nothing         | nothing      | Busy         | nothing
crashed             | nothing | cut        | stop             | nothing      | nothing         | nothing      | Busy         | nothing
starting            | nothing | cut        | stop             | nothing      | nothing         | restart¹     | Busy         | nothing
on                  | nothing | cut        | stop             | reset        | softreboot      | restart¹     | pause        | nothing
paused              | nothing | cut        | stop             | reset        | InvalidState    | restart¹     | nothing      | unpause
shutting down       | then on | cut        | nothing          | cut, then on | then on         | cut, then on | InvalidState | InvalidState
stop accepted       | then on | cut        | nothing          | cut, then on | then on         | cut, then on | InvalidState | InvalidState
being cut           | then on | nothing    | nothing          | then on      | then on         | then on      | InvalidState | InvalidState
restarting          | nothing | cut³       | stop             | cut, then on | nothing         | cut, then on | Busy         | nothing
stopping, then on   | nothing | cut        | stop⁴            | cut, then on | nothing         | cut, then on | Busy         | nothing
to be on after this | nothing | nothing    | nothing          | nothing      | nothing         | nothing      | Busy         | nothing
`;
const EXCEPTIONS = new Map<string, Partial<Record<RunStrategy, string>> & { other: string }>([
  ['restart¹', { Once: 'cut, then on', other: 'restart' }],
  ['start²', { Once: 'set Always', other: 'start' }],
  ['stop⁴', { Halted: 'nothing', other: 'stop' }],
  ['cut³', { Always: 'stop in 1 s', other: 'cut' }],
]);

const [HEAD = [], ...LINES] = TABLE.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));

const ROWS = LINES.flatMap(([state = '', ...cells]) =>
  STRATEGIES.flatMap((strategy) => {
    const objects = STATES[state]?.(strategy);
    if (objects === undefined) return [];
    return cells.map((cell, column) => {
      const exception = EXCEPTIONS.get(cell);
      const outcome = exception === undefined ? cell : (exception[strategy] ?? exception.other);
      // The head of the table has the actions.
      return { action: HEAD[column + 1] as PowerAction, state, strategy, objects, outcome };
    });
  }),
);

function inAWord(decision: PowerDecision): string {
  switch (decision.do) {
    case 'nothing':
    case 'wait':
      return decision.do;
    case 'refuse':
      return decision.code;
    case 'power on after':
      expect(decision.uid).toBe(uid);
      if (decision.stop === undefined) return 'then on';
      return `${inAWord({ do: 'call', call: decision.stop })}, then on`;
    case 'call': {
      const { call } = decision;
      if ('runStrategy' in call) return `set ${call.runStrategy}`;
      if (call.subresource !== 'stop' || call.gracePeriod === undefined) return call.subresource;
      return call.gracePeriod === 0 ? 'cut' : `stop in ${call.gracePeriod} s`;
    }
  }
}

function decide(action: PowerAction, vm: VirtualMachine | undefined, vmi?: VirtualMachineInstance): string {
  return inAWord(decidePower({ action, vm, vmi, canReset: true }));
}

/** A guest whose boot order is not that of `aVmi`. */
function aReorderedGuest(): ReturnType<typeof aGuest> {
  const guest = aGuest();
  guest.domain.devices.interfaces = [{ name: 'default', masquerade: {}, bootOrder: 3 }];
  return guest;
}

describe('decidePower', () => {
  it.each(ROWS)('$action · $strategy, $state → $outcome', ({ action, objects, outcome }) => {
    expect(decide(action, objects.vm, objects.vmi)).toBe(outcome);
  });

  it('reads the deprecated spec.running as Always or Halted', () => {
    const vm = aVm();
    delete vm.spec.runStrategy;
    const running = { ...vm, spec: { ...vm.spec, running: true } };
    expect(decide('PowerCycle', running, aVmi())).toBe('restart');
    expect(decide('On', vm)).toBe('start');
  });

  it('creates a new VMI on reset if the boot order has changed since power-on', () => {
    const guest = aReorderedGuest();
    expect(decide('ForceRestart', aVm({ guest }), aVmi())).toBe('restart');
    expect(decide('ForceRestart', aVm({ guest, strategy: 'Once' }), aVmi())).toBe('cut, then on');
  });

  it('creates a new VMI on reset if Secure Boot has changed since power-on', () => {
    const withSecureBoot = (secureBoot: boolean) => {
      const guest = aGuest();
      guest.domain.firmware = { bootloader: { efi: { secureBoot } } };
      return guest;
    };
    const vm = aVm({ guest: withSecureBoot(true) });
    expect(decide('ForceRestart', vm, aVmi({ guest: withSecureBoot(false) }))).toBe('restart');
    expect(decide('ForceRestart', vm, aVmi({ guest: withSecureBoot(true) }))).toBe('reset');
  });

  it('creates a new VMI on reset if the VM has the condition RestartRequired', () => {
    const vm = aVm();
    vm.status = { ...vm.status, conditions: [{ type: 'RestartRequired', status: 'True' }] };
    expect(decide('ForceRestart', vm, aVmi())).toBe('restart');
  });

  it('shuts down and powers on for a graceful restart if the boot order has changed since power-on', () => {
    for (const strategy of STRATEGIES.filter(ofRunning)) {
      const vm = aVm({ guest: aReorderedGuest(), strategy });
      expect(decide('GracefulRestart', vm, aVmi())).toBe('stop, then on');
    }
  });

  it('shuts down and powers on for a graceful restart if the guest has neither ACPI nor an agent', () => {
    const guest = aGuest();
    guest.domain.features = { acpi: { enabled: false } };
    const vm = aVm({ guest });
    expect(decide('GracefulRestart', vm, aVmi({ guest }))).toBe('stop, then on');
    const agent = { type: 'AgentConnected', status: 'True' } as const;
    const vmi = { ...aVmi({ guest }), status: { phase: 'Running' as const, conditions: [agent] } };
    expect(decide('GracefulRestart', vm, vmi)).toBe('softreboot');
  });

  it('restarts instead of a reset if KubeVirt has no reset', () => {
    const decision = decidePower({ action: 'ForceRestart', vm: aVm(), vmi: aVmi(), canReset: false });
    expect(inAWord(decision)).toBe('restart');
  });

  it('removes the start that is queued behind a stop when powering off', () => {
    const vm = aVm({ queue: [{ action: 'Stop', uid }, { action: 'Start' }] });
    expect(decide('ForceOff', vm, aVmi({ deleted: true, graceSeconds: 0 }))).toBe('cut');
  });

  it('replaces the queue of an Always VM in two stops, the second with a shorter grace', () => {
    const queue = [{ action: 'Stop' as const, uid }, { action: 'Start' as const }];
    const restarting = aVmi({ deleted: true, graceSeconds: 30 });
    const asked = (strategy: RunStrategy, action: PowerAction, vmi = restarting) =>
      decidePower({ action, vm: aVm({ strategy, queue }), vmi, canReset: true });
    const first = { do: 'call', call: { subresource: 'stop', gracePeriod: 1 }, isFirst: true };
    expect(asked('Always', 'ForceOff')).toEqual(first);
    expect(asked('Always', 'GracefulShutdown', aVmi({ graceSeconds: 0 }))).toEqual(first);
    expect(asked('Always', 'GracefulShutdown')).toEqual({ do: 'call', call: { subresource: 'stop' }, isFirst: true });
    expect(inAWord(asked('Halted', 'ForceOff'))).toBe('cut');
    expect(inAWord(asked('Halted', 'GracefulShutdown'))).toBe('stop in 29 s');
    expect(inAWord(asked('Halted', 'ForceOff', aVmi({ graceSeconds: 0 })))).toBe('wait');
    expect(decide('ForceOff', aVm({ strategy: 'Always', queue: [{ action: 'Start' }] }))).toBe('wait');
  });

  it('cuts a guest that ignores its power button on reset and cycle, also if the machine comes back by itself', () => {
    const restarting = (strategy: RunStrategy) =>
      aVm({ strategy, queue: [{ action: 'Stop', uid }, { action: 'Start' }] });
    for (const action of ['PowerCycle', 'ForceRestart'] as const) {
      // KubeVirt creates the next VMI of an Always VM whose VMI was deleted.
      expect(decide(action, aVm({ strategy: 'Always' }), aVmi({ deleted: true }))).toBe('cut, then on');
      // A forced restart: KubeVirt 1.9 leaves a grace of 1 s.
      for (const graceSeconds of [0, 1]) {
        expect(decide(action, restarting('Manual'), aVmi({ deleted: true, graceSeconds }))).toBe('nothing');
      }
    }
  });

  it('treats a machine that is off with a note as on its way up', () => {
    const vm = aVm({ strategy: 'Halted', annotations: { 'bmc.kubevirt.io/power-on-after': uid } });
    for (const action of ['PowerCycle', 'ForceRestart', 'GracefulRestart', 'Resume'] as const) {
      expect(decide(action, vm)).toBe('nothing');
    }
    expect(decide('Pause', vm)).toBe('Busy');
    expect(decide('On', vm)).toBe('start');
    // Another guest has been started and has ended since.
    expect(decide('PowerCycle', vm, aVmi({ uid: 'vmi-2', phase: 'Succeeded' }))).toBe('InvalidState');
  });

  it('stops an Always VM whose VMI is being deleted, so that KubeVirt does not start it again', () => {
    const vm = aVm({ strategy: 'Always' });
    expect(decide('ForceOff', vm, aVmi({ deleted: true }))).toBe('cut');
    expect(decide('On', vm, aVmi({ deleted: true }))).toBe('nothing');
  });

  it('refuses an impossible action', () => {
    expect(decide('DiagnosticInterrupt', aVm())).toBe('NotSupported');
    expect(decide('On', undefined)).toBe('Unavailable');
    expect(decide('On', aVm({ deleted: true }))).toBe('Unavailable');
  });
});

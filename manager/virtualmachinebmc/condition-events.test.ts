import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../api/index.ts';
import { EventRecorder, KubeClient, type Event } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { ConditionEvents } from './condition-events.ts';
import type { Inputs } from './inputs.ts';
import { statusOf } from './conditions/status.ts';
import { aBmc } from './testing/bmc.ts';
import { inputs } from './testing/inputs.ts';

describe('the Events of a BMC', () => {
  let api: ScriptedApi;
  let clock: FakeClock;
  let events: EventRecorder;
  let conditionEvents: ConditionEvents;

  beforeEach(() => {
    api = new ScriptedApi();
    clock = new FakeClock();
    const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
    events = new EventRecorder({ client, component: 'groundcrew-manager', clock, logger: silentLogger });
    conditionEvents = new ConditionEvents(events);
  });

  /** Announces what inputs come to, of a BMC as the cache has it. */
  const announce = (cached: VirtualMachineBMC, given: Inputs) => {
    conditionEvents.announce(cached, statusOf({ ...given, bmc: cached }, clock.now()));
  };

  /** A BMC whose status is what inputs came to. */
  const known = (before: Inputs | undefined): VirtualMachineBMC => {
    const status = before === undefined ? {} : statusOf(before, clock.now());
    return aBmc({ status: { ...status, agent: { name: 'agent-1', observedGeneration: 1 } } });
  };

  const written = async (): Promise<Event[]> => {
    await events.flush();
    return [...api.objects.values()] as unknown as Event[]; // nothing else is written
  };
  const told = async () =>
    (await written()).map(({ type, reason, count }) => `${type ?? ''} ${reason ?? ''} x${count ?? 0}`);

  it('tell once of what somebody has to do', async () => {
    announce(known(undefined), inputs({ virtualMachine: 'Missing' }));
    expect(await told()).toEqual(['Warning VirtualMachineNotFound x1']);
  });

  it('tell once, and whole, of what several conditions say', async () => {
    const claimants = [aBmc({ name: 'first', created: '2025-01-01T00:00:00Z' }), aBmc()];
    announce(known(undefined), inputs({ claimants }));
    expect(await told()).toEqual(['Warning VirtualMachineTaken x1']);
    expect((await written())[0]?.message).toContain('VirtualMachineBMC first');
  });

  it('do not tell again what has not changed', async () => {
    announce(known(inputs({ virtualMachine: 'Missing' })), inputs({ virtualMachine: 'Missing' }));
    expect(await told()).toEqual([]);
  });

  it('do not tell again what the cache does not have yet', async () => {
    const stale = known(undefined);
    announce(stale, inputs({ virtualMachine: 'Missing' }));
    announce(stale, inputs({ virtualMachine: 'Missing' }));
    expect(await told()).toEqual(['Warning VirtualMachineNotFound x1']);
  });

  it('tell again of what was well in between, however old the cache is', async () => {
    const stale = known(inputs());
    announce(stale, inputs({ virtualMachine: 'Missing' }));
    announce(stale, inputs());
    announce(stale, inputs({ virtualMachine: 'Missing' }));
    expect(await told()).toEqual(['Warning VirtualMachineNotFound x2', 'Normal Ready x1']);
  });

  it('tell of a BMC that was made anew under the name, and of one that was forgotten', async () => {
    const missing = inputs({ virtualMachine: 'Missing', claimants: [] });
    announce(known(undefined), missing);
    announce(aBmc({ uid: 'another' }), missing);
    conditionEvents.forget({ namespace: 'vms', name: 'web-bmc' });
    announce(aBmc({ uid: 'another' }), missing);
    expect(await told()).toEqual(['Warning VirtualMachineNotFound x1', 'Warning VirtualMachineNotFound x2']);
  });

  it('tell when all is well, and when the agent is lost', async () => {
    const lost = inputs({ pods: inputs().pods.map((pod) => ({ ...pod, status: {} })) });
    announce(known(lost), inputs());
    announce(known(inputs()), lost);
    expect(await told()).toEqual(['Normal Ready x1', 'Warning AgentNotReady x1']);
  });

  it('say nothing of what comes by itself', async () => {
    announce(known(undefined), inputs({ pods: [] }));
    expect(await told()).toEqual([]);
  });

  it('tell once for each generation of what the spec asks for in vain', async () => {
    const asking = (generation: number, status?: VirtualMachineBMC['status']) =>
      aBmc({ generation, placement: 'Shared', ...(status === undefined ? {} : { status }) });
    announce(asking(1), inputs({ pods: [] }));
    announce(asking(1), inputs({ virtualMachine: 'Unread', pods: [] }));
    expect(await told()).toEqual(['Warning NotServed x1']);
    announce(asking(2), inputs({ pods: [] }));
    expect(await told()).toEqual(['Warning NotServed x2']);
  });

  it('do not tell of it again when the manager starts anew', async () => {
    announce(aBmc({ placement: 'Shared', status: { observedGeneration: 1 } }), inputs({ pods: [] }));
    expect(await told()).toEqual([]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../api/index.ts';
import { EventRecorder, KubeClient, type Event } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { ConditionEvents } from './condition-events.ts';
import type { Inputs } from './inputs.ts';
import { statusOf } from './conditions/status.ts';
import { aBmc, inputs } from './testing/builders.ts';

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

  /** Announces the status of the inputs for a BMC as cached. */
  const announce = (cached: VirtualMachineBMC, given: Inputs) => {
    conditionEvents.announce(cached, statusOf({ ...given, bmc: cached }, clock.now()));
  };

  /** A BMC with the status of the inputs. */
  const known = (before: Inputs | undefined): VirtualMachineBMC => {
    const status = before === undefined ? {} : statusOf(before, clock.now());
    return aBmc({ status: { ...status, agent: { name: 'agent-1', observedGeneration: 1 } } });
  };

  const written = async (): Promise<Event[]> => {
    await events.flush();
    return [...api.objects.values()] as unknown as Event[]; // only Events are written
  };
  const told = async () =>
    (await written()).map(({ type, reason, count }) => `${type ?? ''} ${reason ?? ''} x${count ?? 0}`);

  it('report a problem of several conditions once and completely', async () => {
    const claimants = [aBmc({ name: 'first', created: '2025-01-01T00:00:00Z' }), aBmc()];
    announce(known(undefined), inputs({ claimants }));
    expect(await told()).toEqual(['Warning VirtualMachineTaken x1']);
    expect((await written())[0]?.message).toContain('VirtualMachineBMC first');
  });

  it('report the loss of the agent, and that the BMC is Ready again', async () => {
    const ready = known(inputs());
    const lost = inputs({ pods: inputs().pods.map((pod) => ({ ...pod, status: {} })) });
    announce(ready, lost);
    const status = statusOf({ ...lost, bmc: ready }, clock.now());
    announce(
      { ...ready, status: { ...status, ...ready.status, phase: 'Degraded', conditions: status.conditions } },
      inputs(),
    );
    expect(await told()).toEqual(['Warning AgentNotReady x1', 'Normal Ready x1']);
  });

  it('do not report that a new BMC has become Ready', async () => {
    const coming = inputs({ bmc: aBmc(), pods: inputs().pods.map((pod) => ({ ...pod, status: {} })) });
    announce(known(coming), inputs());
    expect(await told()).toEqual([]);
  });

  it('report Ready after a problem that a user has solved', async () => {
    announce(known(inputs({ virtualMachine: 'Missing' })), inputs());
    expect(await told()).toEqual(['Normal Ready x1']);
  });

  it('do not report states that resolve themselves', async () => {
    announce(known(undefined), inputs({ pods: [] }));
    expect(await told()).toEqual([]);
  });
});

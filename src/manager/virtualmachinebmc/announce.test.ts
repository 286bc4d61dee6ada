import { describe, expect, it } from 'vitest';
import { EventRecorder, KubeClient, type Event } from '../../kube/index.ts';
import { FakeClock, ScriptedApi, silentLogger } from '../../kube/testing/index.ts';
import { announce } from './announce.ts';
import type { Facts } from './facts.ts';
import { statusOf } from './judge/status.ts';
import { aBmc } from './testing/bmc.ts';
import { facts } from './testing/facts.ts';

/** Events that are written when a BMC goes from one state to another. */
async function eventsOf(before: Facts | undefined, after: Facts): Promise<string[]> {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  const events = new EventRecorder({ client, component: 'groundcrew-manager', clock, logger: silentLogger });
  const status = before === undefined ? {} : statusOf(before, clock.now());
  const bmc = aBmc({ status: { ...status, agent: { name: 'agent-1', observedGeneration: 1 } } });
  announce(bmc, statusOf({ ...after, bmc }, clock.now()), events);
  await events.flush();
  return [...api.objects.values()].map((object) => {
    const { type, reason } = object as unknown as Event; // nothing else is written
    return `${type ?? ''} ${reason ?? ''}`;
  });
}

describe('the Events of a BMC', () => {
  it('tell once of what somebody has to do, though several conditions say it', async () => {
    expect(await eventsOf(undefined, facts({ virtualMachine: 'Missing' }))).toEqual(['Warning VirtualMachineNotFound']);
    const claimants = [aBmc({ name: 'first', created: '2025-01-01T00:00:00Z' }), aBmc()];
    expect(await eventsOf(undefined, facts({ claimants }))).toEqual(['Warning VirtualMachineTaken']);
  });

  it('do not tell again what has not changed', async () => {
    expect(await eventsOf(facts({ virtualMachine: 'Missing' }), facts({ virtualMachine: 'Missing' }))).toEqual([]);
  });

  it('tell when all is well, and when the agent is lost', async () => {
    const lost = facts({ pods: facts().pods.map((pod) => ({ ...pod, status: {} })) });
    expect(await eventsOf(lost, facts())).toEqual(['Normal Ready']);
    expect(await eventsOf(facts(), lost)).toEqual(['Warning AgentNotReady']);
  });

  it('say nothing of what comes by itself', async () => {
    expect(await eventsOf(undefined, facts({ pods: [] }))).toEqual([]);
  });
});

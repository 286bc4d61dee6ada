import { describe, expect, it } from 'vitest';
import { LABELS, sharedAgentName } from '../../api/index.ts';
import type { Pod, StatefulSet } from '@groundcrew/controller-runtime';
import { AgentReports } from './agent-reports.ts';
import { Assignments } from './assignments.ts';
import { SharedAgents } from './shared-agents.ts';
import { Services } from './testing/model.ts';

const agent = { namespace: 'vms', name: sharedAgentName(0) };
const statefulSet: StatefulSet = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: agent };

const aPod = (index: number, { ready = true, acts = false } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...agent, name: `${agent.name}-${index}`, labels: acts ? { [LABELS.acting]: 'true' } : {} },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});
const acting = [aPod(0, { acts: true }), aPod(1)];
const down = [aPod(0, { ready: false }), aPod(1)];

function bench() {
  const told: string[] = [];
  const agents = new SharedAgents(new Assignments({ services: new Services(), capacity: 2 }));
  const events = {
    event: (...[, type, reason, message]: [unknown, string, string, string]) => {
      told.push(`${type} ${reason}: ${message}`);
    },
  };
  const reports = new AgentReports({ agents, events });
  const publish = (pods: readonly Pod[], now: number) =>
    reports.publish({ agent, statefulSet, pods, turn: undefined }, undefined, now);
  return { agents, publish, told };
}

describe('a shared agent', () => {
  it('that has no acting pod for 20 s says so, and says when a pod acts again', () => {
    const { agents, publish, told } = bench();
    expect(publish(acting, 0)).toBeUndefined();
    expect(publish(down, 1000)).toBe(20_000);
    expect(publish(down, 20_999)).toBe(1);
    expect([agents.state(agent)?.problem, told]).toEqual([undefined, []]);
    publish(down, 21_000);
    publish(down, 40_000);
    const [pod, other] = [0, 1].map((index) => `Pod ${agent.name}-${index}`);
    const problem = `No pod of shared agent ${agent.name} acts. ${pod} is not ready. ${other} is ready but does not act.`;
    expect(agents.state(agent)?.problem).toEqual({ status: 'False', reason: 'AgentNotReady', message: problem });
    expect(told).toEqual([`Warning AgentNotReady: ${problem}`]);
    expect(publish(acting, 50_000)).toBeUndefined();
    expect(agents.state(agent)?.problem).toBeUndefined();
    expect(told.slice(1)).toEqual([`Normal AgentReady: A pod of shared agent ${agent.name} acts again.`]);
  });

  it('whose other pod takes over in time says only that', () => {
    const { publish, told } = bench();
    publish(acting, 0);
    publish(down, 1000);
    publish([aPod(0, { ready: false }), aPod(1, { acts: true })], 9000);
    expect(told).toEqual([
      `Normal TookOver: Pod ${agent.name}-1 of shared agent ${agent.name} has taken over: the Services of its BMCs lead to it.`,
    ]);
  });
});

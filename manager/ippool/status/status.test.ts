import { describe, expect, it } from 'vitest';
import { anAgent, inputs, aPool } from '../testing/builders.ts';
import { statusOf } from './status.ts';

const NOW = Date.parse('2026-01-01T00:00:10Z');
const LATER = NOW + 60_000;

describe('the status of a pool', () => {
  it('lists its agents and the pod of the first agent that has one', () => {
    const agents = [anAgent({ ready: false, pod: 'none' }), anAgent({ serverIP: '10.0.0.3' })];
    expect(statusOf(inputs({ agents }), undefined, NOW)).toMatchObject({
      agents: [
        { serverIP: '10.0.0.2', ready: false },
        { serverIP: '10.0.0.3', ready: true, name: 'agent-3', node: 'node-1' },
      ],
      agentPodRef: {
        namespace: 'vms',
        name: 'agent-3',
        uid: 'uid-of-agent-3',
        image: 'registry.example/groundcrew:1',
      },
    });
  });

  it('keeps its timestamps while nothing changes', () => {
    const first = statusOf(inputs(), undefined, NOW);
    expect(first.lastUpdate).toBe('2026-01-01T00:00:10Z');
    const second = statusOf(inputs(), first, LATER);
    expect(statusOf(inputs(), second, LATER + 1000)).toEqual(second);
    const silent = statusOf(inputs({ agents: [anAgent({ ready: false })] }), second, LATER);
    expect(silent.lastUpdate).toBe('2026-01-01T00:01:10Z');
    const since = Object.fromEntries((silent.conditions ?? []).map((each) => [each.type, each.lastTransitionTime]));
    expect(since).toMatchObject({ Registered: '2026-01-01T00:00:10Z', AgentReady: '2026-01-01T00:01:10Z' });
  });

  it('has the generation from which it was computed', () => {
    const status = statusOf(inputs({ pool: aPool({ generation: 7 }) }), undefined, NOW);
    expect(status.observedGeneration).toBe(7);
    expect(status.conditions?.map(({ observedGeneration }) => observedGeneration)).toEqual(Array(7).fill(7));
  });

  it('has the list of the usage itself, which may have thousands of entries', () => {
    const allocated = { '10.0.0.10': '52:54:00:00:00:01' };
    const { usage = expect.fail('the pool has addresses') } = inputs();
    expect(statusOf(inputs({ usage: { ...usage, allocated } }), undefined, NOW).ipv4?.allocated).toBe(allocated);
  });

  it('has the addresses of NTP servers, if any', () => {
    const before = { ipv4: { ntpServers: ['10.0.0.9'] } };
    const of = (...ntpServers: string[]) => statusOf(inputs({ ntpServers }), before, NOW).ipv4?.ntpServers;
    expect(of('10.0.0.8')).toEqual(['10.0.0.8']);
    expect(of()).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { Condition, IPPool } from '../../api/index.ts';
import type { Pod } from '@groundcrew/controller-runtime';
import { agentOf, isHeldUp, isServed, poolEndpointOf } from './pool-endpoints.ts';

function aPool(
  conditions: Record<string, [Condition['status'], string]>,
  change: Partial<IPPool['spec']> = {},
): IPPool {
  const ipv4Config = {
    cidr: '10.0.0.0/24',
    serverIP: '10.0.0.2',
    pool: { start: '10.0.0.10', end: '10.0.0.20' },
  };
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { name: 'lan', namespace: 'default' },
    spec: { networkName: 'lan', ipv4Config, ...change },
    status: {
      agentPodRef: { namespace: 'default', name: 'lan-dhcp-0-x', uid: 'u1' },
      conditions: Object.entries(conditions).map(([type, [status, message]]) => ({
        type,
        status,
        message,
        reason: 'Because',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  };
}

function anAgent(change: { uid?: string; ready?: boolean } = {}): Pod {
  const { uid = 'u1', ready = true } = change;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'lan-dhcp-0-x', namespace: 'default', uid },
    status: { podIP: '127.64.0.9', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const SERVED = aPool({ Registered: ['True', ''], AgentReady: ['True', ''] });

describe('agentOf', () => {
  const found = (...pods: Pod[]) =>
    agentOf(SERVED, { get: ({ name }) => pods.find((pod) => pod.metadata.name === name) });

  it('returns the pod named in the status, if it is Ready', () => {
    expect(found(anAgent())?.metadata.uid).toBe('u1');
    expect(found(anAgent({ ready: false }))).toBeUndefined();
    expect(found(anAgent({ uid: 'u2' }))).toBeUndefined();
    expect(found()).toBeUndefined();
  });
});

describe('a pool', () => {
  it('that is served has a DHCP endpoint and an address for a relay agent', () => {
    const seen = { pool: SERVED, agent: anAgent() };
    expect(isServed(seen)).toBe(true);
    expect(poolEndpointOf(seen)).toEqual({
      pool: {
        namespace: 'default',
        name: 'lan',
        cidr: '10.0.0.0/24',
        dhcp: { host: '127.64.0.9', port: 10_067 },
        relay: '10.0.0.2',
      },
    });
  });

  it('that was restored is not served until its agent is ready', () => {
    expect(isServed({ pool: SERVED, agent: undefined })).toBe(false);
  });

  it.each([
    [aPool({ Registered: ['False', 'There is no such network.'] }), true, 'There is no such network.'],
    [aPool({ Stopped: ['True', 'Paused.'], Registered: ['True', ''] }, { paused: true }), true, 'it is paused'],
    [aPool({ Registered: ['True', ''], AgentReady: ['False', 'The agent starts.'] }), false, 'The agent starts.'],
    [aPool({}), false, 'the manager has not looked at it'],
  ])('%# that is not served has a message and says whether waiting helps', (pool, heldUp, message) => {
    const seen = { pool, agent: undefined };
    expect(isHeldUp(seen)).toBe(heldUp);
    expect(poolEndpointOf(seen)).toEqual({ trouble: { name: 'IPPool default/lan', message } });
  });
});

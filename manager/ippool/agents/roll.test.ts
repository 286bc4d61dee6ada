import { describe, expect, it } from 'vitest';
import type { Deployment, Draft, Pod } from '@groundcrew/controller-runtime';
import type { ChildDraft } from './children/children.ts';
import type { NetworkInputs } from './inputs.ts';
import { INDEX_LABEL } from './identity.ts';
import { mayRoll, PATIENCE } from './roll.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');

interface AgentState {
  /** Whether its pod is Ready. Default true. */
  ready?: boolean;
  /** Milliseconds since it was last available. */
  awayFor?: number;
  /** The Deployment's controller has not observed the last change. */
  changed?: boolean;
}

function inputs(...agents: AgentState[]): NetworkInputs {
  return {
    standing: [],
    drafts: agents.map((_, index): ChildDraft => ({ child: 'deployment', draft: aDraft(), index })),
    made: agents.map((agent, index) => ({ child: 'deployment', object: aDeployment(agent, index) })),
    pods: agents.map(({ ready = true }, index) => aPod(ready, index)),
    now: NOW,
  };
}

function aDraft(): Draft<Deployment> {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {} };
}

function aDeployment({ ready = true, awayFor, changed = false }: AgentState, index: number): Deployment {
  const lastTransitionTime = new Date(NOW - (awayFor ?? 0)).toISOString();
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `lan-dhcp-${index}`, generation: changed ? 2 : 1, labels: { [INDEX_LABEL]: String(index) } },
    status: {
      observedGeneration: 1,
      updatedReplicas: 1,
      readyReplicas: ready ? 1 : 0,
      conditions: [{ type: 'Available', status: ready ? 'True' : 'False', lastTransitionTime }],
    },
  };
}

function aPod(ready: boolean, index: number): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `lan-dhcp-${index}-x`, labels: { [INDEX_LABEL]: String(index) } },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

describe('whether an agent may be rolled', () => {
  const rolled = [{ child: 'deployment', draft: aDraft(), uid: 'u' }] as const;

  it.each<[string, AgentState[], boolean]>([
    ['the only one', [{}], true],
    ['one that does not answer, whatever the others do', [{ ready: false }, { ready: false }], true],
    ['one of two that both answer', [{}, {}], true],
    ['the last one that answers', [{}, { ready: false, awayFor: 1000 }], false],
    ['while another is being rolled', [{}, { changed: true }], false],
    [
      'the last one that answers, while another has been away for long',
      [{}, { ready: false, awayFor: PATIENCE }],
      true,
    ],
  ])('%s', (_what, agents, expected) => {
    expect(mayRoll(0, inputs(...agents), [])).toBe(expected);
  });

  it('is denied while another agent has been rolled in the same pass', () => {
    expect(mayRoll(1, inputs({}, {}), rolled)).toBe(false);
    expect(mayRoll(1, inputs({}, { ready: false }), rolled)).toBe(true);
  });

  it('does not wait for an agent that is only being created', () => {
    const given = inputs({}, {});
    expect(mayRoll(0, { ...given, made: given.made.slice(0, 1) }, [])).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { KubeObject, Deployment, Draft, Pod } from '@groundcrew/controller-runtime';
import { aScope } from '../testing/builders.ts';
import { childDrafts, type ChildDraft } from './children/children.ts';
import type { ChildFact, Made, NetworkInputs } from './inputs.ts';
import { planOf, mayRoll, PATIENCE, type Plan } from './plan.ts';
import { INDEX_LABEL } from './identity.ts';

const AGENT = { index: 0, addresses: ['10.0.0.2/24'], routes: [], poolNamespaces: ['vms'] };

function draftsOf(settings = {}): ChildDraft[] {
  const made = childDrafts(aScope({ settings }), [AGENT]);
  return 'drafts' in made ? made.drafts : expect.fail('a bridge gives addresses');
}

/** The objects as they are after being applied. */
function stored(drafts: readonly ChildDraft[], metadata: object = {}): Made[] {
  return drafts.map(({ child, draft }) => {
    // A draft is complete except for the fields that the server adds.
    const object = { ...draft, metadata: { ...draft.metadata, uid: `uid-of-${child}`, ...metadata } } as KubeObject;
    return { child, object };
  });
}

/** Inputs with nothing to do; `given` overrides them. */
function inputs(given: Partial<NetworkInputs> = {}): NetworkInputs {
  const drafts = draftsOf();
  const made = stored(drafts);
  return {
    drafts,
    standing: made.map(({ object }): ChildFact => ({ standing: 'Ours', object })),
    made,
    pods: [],
    now: 0,
    ...given,
  };
}

function said({ remove, apply, blocked }: Plan): string[] {
  return [
    ...remove.map(({ child }) => `remove ${child}`),
    ...apply.map(({ child, uid }) => `${uid === undefined ? 'make' : 'change'} ${child}`),
    ...blocked.map(({ object }) => `blocked by ${object}`),
  ];
}

describe('the plan for a network', () => {
  const absent: ChildFact[] = draftsOf().map(() => ({ standing: 'Absent' }));
  const theirs: ChildFact[] = stored(draftsOf()).map(({ object }) => ({ standing: 'Theirs', object }));
  const leaving = stored(draftsOf(), { deletionTimestamp: '2026-01-01T00:00:00Z' });
  const kinds = ['serviceAccount', 'role', 'roleBinding', 'attachment', 'deployment'];

  it.each<[string, Partial<NetworkInputs>, string[]]>([
    ['is empty if everything is up to date', {}, []],
    ['creates missing objects', { standing: absent, made: [] }, kinds.map((kind) => `make ${kind}`)],
    ['changes only the objects that differ', { drafts: draftsOf({ image: 'other:2' }) }, ['change deployment']],
    ['removes all objects if no pool is left', { drafts: [], standing: [] }, kinds.map((kind) => `remove ${kind}`)],
    ['changes nothing if the desired state is unknown', { drafts: undefined, standing: [] }, []],
    ['ignores objects that are being deleted', { drafts: [], standing: [], made: leaving }, []],
    [
      'waits for the end of a deletion before it creates the object again',
      { standing: leaving.map(({ object }) => ({ standing: 'Ours', object })), made: leaving },
      [],
    ],
    [
      'does not change objects of another owner',
      { standing: theirs, made: [] },
      [
        'blocked by ServiceAccount vms/lan-dhcp-0',
        'blocked by Role vms/vms.lan-dhcp',
        'blocked by RoleBinding vms/vms.lan-dhcp',
        'blocked by NetworkAttachmentDefinition vms/lan-dhcp-0',
        'blocked by Deployment vms/lan-dhcp-0',
      ],
    ],
  ])('%s', (_what, given, expected) => {
    expect(said(planOf(inputs(given)))).toEqual(expected);
  });
});

const NOW = Date.parse('2026-01-01T01:00:00Z');

interface AgentState {
  /** Whether its pod is Ready. Default true. */
  ready?: boolean;
  /** Milliseconds since it was last available. */
  awayFor?: number;
  /** The Deployment's controller has not observed the last change. */
  changed?: boolean;
}

function withAgents(...agents: AgentState[]): NetworkInputs {
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
    expect(mayRoll(0, withAgents(...agents), [])).toBe(expected);
  });

  it('is denied while another agent has been rolled in the same pass', () => {
    expect(mayRoll(1, withAgents({}, {}), rolled)).toBe(false);
    expect(mayRoll(1, withAgents({}, { ready: false }), rolled)).toBe(true);
  });

  it('does not wait for an agent that is only being created', () => {
    const given = withAgents({}, {});
    expect(mayRoll(0, { ...given, made: given.made.slice(0, 1) }, [])).toBe(true);
  });
});

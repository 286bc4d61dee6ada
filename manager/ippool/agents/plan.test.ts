import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@groundcrew/controller-runtime';
import { aScope } from '../testing/scope.ts';
import { childDrafts, type ChildDraft } from './children/children.ts';
import type { ChildFact, Made, NetworkInputs } from './inputs.ts';
import { planOf, type Plan } from './plan.ts';

const AGENT = { index: 0, addresses: ['10.0.0.2/24'], poolNamespaces: ['vms'] };

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
    ['is empty where all is as it should be', {}, []],
    ['makes what is not there', { standing: absent, made: [] }, kinds.map((kind) => `make ${kind}`)],
    ['changes what is otherwise, that alone', { drafts: draftsOf({ image: 'other:2' }) }, ['change deployment']],
    ['removes all where no pool is left', { drafts: [], standing: [] }, kinds.map((kind) => `remove ${kind}`)],
    ['leaves all as it is where it cannot be told what should be', { drafts: undefined, standing: [] }, []],
    ['leaves what is on its way out', { drafts: [], standing: [], made: leaving }, []],
    [
      'waits for what is on its way out before it makes it anew',
      { standing: leaving.map(({ object }) => ({ standing: 'Ours', object })), made: leaving },
      [],
    ],
    [
      "touches nothing of anybody else's",
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

import { describe, expect, it } from 'vitest';
import type { Deployment, Draft, Pod } from '@groundcrew/controller-runtime';
import { agentDeployment, digest, type AgentSettings } from '../agent-workload/index.ts';
import { chooseDraft, type Agent } from './choose-draft.ts';
import type { Turn } from './gate.ts';
import { readNote, withNote, type Note } from './note.ts';

const HASH = 'example.com/hash';
const OLD = { image: 'agent:1' };
const NEW = { image: 'agent:2' };
const TIME = '2026-01-01T00:00:00Z';

const render = (settings: AgentSettings, own = 'own'): Draft<Deployment> => {
  const metadata = { name: 'a', namespace: 'vms', labels: {}, ownerReferences: [] };
  const pod = { containers: [{ name: 'agent', image: settings.image, args: [own] }] };
  return agentDeployment(metadata, { selector: {}, annotations: { [HASH]: digest(pod) }, pod });
};
const stored = (draft: Draft<Deployment>, note?: Note): Deployment =>
  ({ ...(note === undefined ? draft : withNote(draft, note)) }) as Deployment; // complete but for the fields of the server
const OLD_NOTE = { revision: 'old', own: 'own' };
const pod = (isReady: boolean): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});

const agent = (existing: Deployment | undefined, fields: Partial<Agent> = {}): Agent => {
  const own = fields.own ?? 'own';
  return {
    existing,
    hashAnnotation: HASH,
    own,
    pods: [pod(true)],
    render: (settings) => render(settings, own),
    ...fields,
  };
};
const turn = (fields: Partial<Turn> = {}): Turn => ({
  target: { name: 'new', settings: NEW },
  fresh: { name: 'old', settings: OLD },
  wave: undefined,
  attempt: 1,
  known: (name) => (name === 'old' ? { settings: OLD, isExact: true } : undefined),
  ...fields,
});
const chosen = (given: Agent, fields: Partial<Turn> = {}) => {
  const draft = chooseDraft(given, turn(fields), TIME);
  if (draft === undefined) return undefined;
  const container = draft.spec?.template.spec?.containers[0];
  return { image: container?.image, args: container?.args, note: readNote(draft as Deployment) };
};

describe("an agent's Deployment", () => {
  const existing = stored(render(OLD), OLD_NOTE);

  it('stays as it is until it is its turn', () => {
    expect(chosen(agent(existing))).toEqual({ image: 'agent:1', args: ['own'], note: OLD_NOTE });
  });

  it('gets the revision at its turn, with a note of what was before', () => {
    const note = { revision: 'new', own: 'own', wave: 2, attempt: 1, at: TIME, wasReady: true };
    expect(chosen(agent(existing), { wave: 2 })).toMatchObject({ image: 'agent:2', note });
    expect(chosen(agent(existing, { pods: [pod(false)] }), { wave: 2 })?.note?.wasReady).toBe(false);
  });

  it('gets a change of its own resource with the revision that it has, also if it is not its turn', () => {
    expect(chosen(agent(existing, { own: 'changed' }))).toMatchObject({ image: 'agent:1', args: ['changed'] });
  });

  it('is not rolled by a newer manager that renders old settings in another way', () => {
    const inexact = { known: () => ({ settings: OLD, isExact: false }) };
    expect(chosen(agent(existing), inexact)).toBeUndefined();
    expect(chosen(agent(existing, { own: 'changed' }), inexact)).toMatchObject({ image: 'agent:1', args: ['changed'] });
  });

  it('has the revision at once if that does not change its pod', () => {
    const pinned = agent(existing, { render: () => render(OLD) });
    expect(chosen(pinned)).toMatchObject({ image: 'agent:1', note: { revision: 'new', own: 'own' } });
  });

  it('of a manager without roll-outs waits for its turn', () => {
    expect(chosen(agent(stored(render(OLD))))).toBeUndefined();
    expect(chosen(agent(stored(render(OLD))), { wave: 1 })?.image).toBe('agent:2');
  });

  it('is new with the revision that is known to work', () => {
    expect(chosen(agent(undefined))).toMatchObject({ image: 'agent:1', note: { revision: 'old', wave: 0 } });
  });

  it('keeps its note while it has the revision, so that nothing is written again', () => {
    const note = { revision: 'new', own: 'own', wave: 2, attempt: 1, at: '2025-01-01T00:00:00Z', wasReady: true };
    expect(chosen(agent(stored(render(NEW), note)))?.note).toEqual(note);
  });

  it('counts as Ready before if an earlier revision broke it', () => {
    const crashing: Pod = {
      ...pod(false),
      metadata: { name: 'a', annotations: { [HASH]: digest(render(OLD).spec?.template.spec) } },
      status: {
        containerStatuses: [
          {
            name: 'agent',
            image: '',
            imageID: '',
            ready: false,
            restartCount: 5,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
          },
        ],
      },
    };
    const broken = stored(render(OLD), { ...OLD_NOTE, wave: 1, wasReady: true });
    expect(chosen(agent(broken, { pods: [crashing] }), { wave: 1 })?.note?.wasReady).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { Inputs } from './inputs.ts';
import { aBmc, children, inputs, IMAGE } from './testing/builders.ts';
import { planOf } from './plan.ts';

const bmc = aBmc();
const all = children(bmc);
if (all.service.standing !== 'Ours' || all.deployment.standing !== 'Ours')
  throw new Error('the builder makes them ours');
const service = all.service.object;
const deployment = all.deployment.object;

const planned = (given: Partial<Inputs> = {}) => {
  const { apply, remove, createCredentials } = planOf(inputs({ bmc, ...given }), 0);
  return {
    apply: apply.map(({ child }) => child),
    remove: remove.map(({ child, object }) => `${child} ${object.metadata.name}`),
    createCredentials,
  };
};
const NOTHING = { apply: [], remove: [], createCredentials: false };

describe('the plan for a BMC', () => {
  it('is empty if everything is up to date', () => {
    expect(planned()).toEqual(NOTHING);
  });

  it('reverts changes of other clients, on exactly that object', () => {
    const object = {
      ...service,
      metadata: { ...service.metadata, uid: 'u' },
      spec: { ...service.spec, type: 'NodePort' },
    };
    const given = { ...all, service: { standing: 'Ours', object } as const };
    expect(planned({ children: given }).apply).toEqual(['service']);
    expect(planOf(inputs({ bmc, children: given }), 0).apply[0]?.uid).toBe('u');
  });

  it('rolls the agent if the image of the installation changes', () => {
    expect(planned({ defaults: { image: `${IMAGE}-next` } }).apply).toEqual(['deployment']);
  });

  it('changes neither objects of other owners nor objects being deleted', () => {
    const metadata = { ...deployment.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' };
    const given = {
      ...all,
      service: { standing: 'Theirs', object: { ...service, spec: {} }, owner: 'no BMC' } as const,
      deployment: { standing: 'Ours', object: { ...deployment, metadata, spec: undefined } } as const,
    };
    expect(planned({ children: given })).toEqual(NOTHING);
  });

  it('removes the children of a deleted BMC before it creates new ones with their names', () => {
    const given = { ...all, service: { standing: 'Left', object: service } as const };
    expect(planned({ children: given })).toEqual({ ...NOTHING, remove: ['service web-virtbmc'] });
  });

  it('generates credentials if the spec names none and none exist', () => {
    const secret = { name: 'web-bmc-credentials', generated: true } as const;
    expect(planned({ secret: { ...secret, state: 'Missing' } }).createCredentials).toBe(true);
    expect(planned({ secret: { ...secret, state: 'Unread' } }).createCredentials).toBe(false);
    expect(planned({ secret: { ...secret, state: 'Found', data: {} } }).createCredentials).toBe(false);
  });
});

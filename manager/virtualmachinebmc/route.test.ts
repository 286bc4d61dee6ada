import { describe, expect, it } from 'vitest';
import { findCondition, SERVICES } from '@groundcrew/controller-runtime';
import { stamped } from '../agent-workload/index.ts';
import { APPLIED_ANNOTATION } from '../bmc-agent/index.ts';
import { holdsNot } from '../conditions.ts';
import { service } from './children/service.ts';
import { statusOf } from './conditions/status.ts';
import type { ChildInputs, Inputs, PlacementFact } from './inputs.ts';
import { planOf } from './plan.ts';
import { actingName, routeOf } from './route.ts';
import { aBmc, aPod, children, inputs, secret } from './testing/builders.ts';

const SLOT = { agent: 'virtbmc-shared-0', slot: 4 };
const NOW = Date.UTC(2026, 0, 1);
const good = { problem: undefined, outdated: undefined, image: 'groundcrew:2', hostIP: '10.0.0.9' };
const shared: PlacementFact = { wanted: 'Shared', assignment: SLOT, agent: good, isTold: true };
const back: PlacementFact = { ...shared, wanted: 'Dedicated' };

const bmcOf = (name: string | undefined, observedGeneration?: number) =>
  aBmc({
    status: {
      phase: 'Ready',
      agent: {
        ...(name === undefined ? {} : { name }),
        ...(observedGeneration === undefined ? {} : { observedGeneration }),
      },
    },
  });

/** Inputs with a Service that leads to the shared agent, and no other children. */
function onShared(given: Partial<Inputs> = {}): Inputs {
  const bmc = given.bmc ?? bmcOf(SLOT.agent, 1);
  const draft = stamped(service(bmc, undefined, SLOT), APPLIED_ANNOTATION);
  const object = { ...draft, spec: { ...draft.spec, clusterIP: '10.43.7.9' } } as never; // complete but for the server's fields
  const absent = { standing: 'Absent' } as const;
  const only: ChildInputs = {
    ...{ serviceAccount: absent, role: absent, roleBinding: absent, deployment: absent },
    service: { standing: 'Ours', object },
  };
  return inputs({ bmc, children: only, pods: [], placement: shared, ...given });
}

const onOwn = (given: Partial<Inputs> = {}): Inputs => inputs({ placement: shared, ...given });
const applied = (given: Inputs) => planOf(given, NOW).apply.map(({ child }) => child);
const removed = (given: Inputs) => planOf(given, NOW).remove.map(({ child }) => child);
const conditionOf = (given: Inputs, type: string) => findCondition(statusOf(given, NOW).conditions, type);

describe('a BMC that is to be shared', () => {
  it('gets a Service that leads to its slot, and nothing else', () => {
    const given = inputs({ placement: shared, children: { ...onShared().children, service: { standing: 'Absent' } } });
    expect(applied(given)).toEqual(['service']);
    expect(planOf(given, NOW).apply[0]?.draft).toMatchObject({
      kind: SERVICES.kind,
      spec: {
        selector: { 'bmc.kubevirt.io/shared-agent': SLOT.agent, 'bmc.kubevirt.io/acting': 'true' },
        ports: [{ targetPort: 20_004 }, { targetPort: 20_004 }],
      },
    });
  });

  it('gets no Service while no agent has room, and says so', () => {
    const placement = { ...shared, assignment: undefined, agent: undefined };
    const given = onShared({ placement, children: { ...onShared().children, service: { standing: 'Absent' } } });
    expect([routeOf(given), applied(given)]).toEqual([undefined, []]);
    expect(conditionOf(given, 'ServiceReady')).toMatchObject({ status: 'False', reason: 'NoRoom' });
  });

  it('keeps its own agent until the shared one has confirmed its spec', () => {
    const steps: [string | undefined, number | undefined, PlacementFact, string][] = [
      ['agent-1', 1, { ...shared, isTold: false }, 'agent-1'],
      ['agent-1', 1, { ...shared, agent: { ...good, problem: holdsNot('AgentNotReady', 'No pod acts.') } }, 'agent-1'],
      ['agent-1', 1, shared, SLOT.agent],
      [SLOT.agent, 0, shared, SLOT.agent],
      [SLOT.agent, undefined, { ...shared, agent: undefined }, SLOT.agent],
    ];
    for (const [name, confirmed, placement, acts] of steps) {
      const given = onOwn({ bmc: bmcOf(name, confirmed), placement });
      expect([routeOf(given), actingName(given), removed(given)]).toEqual(['Own', acts, []]);
      expect(conditionOf(given, 'AgentReady')).toMatchObject({ status: 'True' });
      expect(conditionOf(given, 'UpToDate')).toMatchObject({ status: 'False', reason: 'Updating' });
    }
    expect(statusOf(onOwn({ bmc: bmcOf('agent-1', 1) }), NOW).agent).toEqual({
      ...{ name: SLOT.agent, image: 'groundcrew:2', observedGeneration: 0 },
    });
  });

  it('is switched then, and its own agent is removed when its Service leads to the other', () => {
    const bmc = bmcOf(SLOT.agent, 1);
    const switched = onOwn({ bmc, children: children(bmc) });
    expect([routeOf(switched), applied(switched), removed(switched)]).toEqual([SLOT, ['service'], []]);
    const own = children(bmc);
    const after = onShared({ bmc, children: { ...own, service: onShared().children.service } });
    expect(applied(after)).toEqual([]);
    expect(removed(after)).toEqual(['deployment', 'roleBinding', 'role', 'serviceAccount']);
  });

  it('is Ready by what the shared agent shows, and keeps its conditions while that is not known', () => {
    expect(statusOf(onShared(), NOW)).toMatchObject({ phase: 'Ready', agent: { name: SLOT.agent } });
    const ready = (given: Partial<Inputs>) => conditionOf(onShared(given), 'AgentReady');
    const problem = holdsNot('AgentNotReady', 'No pod of shared agent virtbmc-shared-0 acts.');
    expect(ready({ placement: { ...shared, agent: { ...good, problem } } })).toMatchObject(problem);
    const unknown = { ...shared, agent: undefined };
    expect(ready({ placement: unknown })).toMatchObject({ status: 'False', reason: 'AgentPending' });
    const last = statusOf(onShared(), NOW);
    const before = aBmc({ status: { ...last, agent: { name: SLOT.agent, observedGeneration: 1 } } });
    expect(ready({ bmc: before, placement: unknown })).toMatchObject({ status: 'True' });
    expect(ready({ bmc: bmcOf(SLOT.agent, 0) })).toMatchObject({ reason: 'AgentBehind' });
    const told = aBmc({ status: { agent: { name: SLOT.agent, problem: 'its port is in use' } } });
    expect(ready({ bmc: told })?.message).toContain('does not serve the BMC: its port is in use');
  });
});

describe('credentials that are too long for the Secret of a shared agent', () => {
  const long = secret('admin', 'p'.repeat(800));
  const message = /^The credentials in Secret creds have 1076 base64 characters, and a shared agent takes 1024\. /;

  it.each([true, false])('are told where the shared agent is to serve the BMC, with IPMI: %s', (enabled) => {
    const given = onShared({ bmc: aBmc({ ipmi: { enabled } }), secret: long });
    const told = { status: 'False', reason: 'CredentialsTooLong', message: expect.stringMatching(message) as string };
    expect(conditionOf(given, 'SecretAvailable')).toMatchObject(told);
    expect(statusOf(given, NOW).phase).not.toBe('Ready');
  });

  it('do not disturb a BMC that its own agent serves, and say why it stays there', () => {
    const given = onOwn({ bmc: aBmc({ ipmi: { enabled: false } }), secret: long });
    expect(conditionOf(given, 'SecretAvailable')).toMatchObject({ status: 'True' });
    expect(conditionOf(given, 'UpToDate')?.message).toContain('1076 base64 characters');
  });
});

describe('a shared BMC that is to have an agent of its own', () => {
  const own = (ready: boolean): Partial<Inputs> => {
    const bmc = bmcOf(SLOT.agent, 1);
    return { bmc, pods: [aPod('agent-1', bmc, { ready })], placement: back };
  };

  it('gets it, and stays with the shared one until its own is Ready and has confirmed the spec', () => {
    const begun = onShared({ placement: back });
    expect(applied(begun)).toEqual(['serviceAccount', 'role', 'roleBinding', 'deployment']);
    const coming = onShared(own(false));
    expect([routeOf(coming), actingName(coming)]).toEqual([SLOT, SLOT.agent]);
    const next = onShared({ ...own(true), bmc: bmcOf('agent-1', 0) });
    expect([routeOf(next), actingName(next)]).toEqual([SLOT, 'agent-1']);
    expect(conditionOf(next, 'AgentReady')).toMatchObject({ status: 'True' });
    expect(conditionOf(next, 'UpToDate')).toMatchObject({ status: 'False', reason: 'Updating' });
    const confirmed = onShared({ ...own(true), bmc: bmcOf('agent-1', 1) });
    expect([routeOf(confirmed), actingName(confirmed)]).toEqual(['Own', 'agent-1']);
    expect(applied(confirmed)).toContain('service');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRollout, type AgentFact, type Before, type Decision, type Policy } from './decide-rollout.ts';
import { aFact, READY, BAD_IMAGE } from './testing/facts.ts';

const POLICY: Policy = { paused: false, maxUnavailable: 2, minReady: 1000, deadline: 60_000, attempt: 1 };
const NOW = 1_000_000;
const AT = new Date(NOW - 5000).toISOString();

const fleet = (count: number, fields: Partial<AgentFact> = {}): AgentFact[] =>
  Array.from({ length: count }, (_, index) => aFact(`bmc vms/vm-${index}`, fields));
const updatedIn = (wave: number, fields: Partial<AgentFact> = {}): Partial<AgentFact> => ({
  note: { revision: 'new', own: '', wave, attempt: 1, at: AT, wasReady: true },
  ...fields,
});
const decide = (agents: readonly AgentFact[], policy: Partial<Policy> = {}, before: Before = {}): Decision =>
  decideRollout(agents, 'new', { ...POLICY, ...policy }, before, NOW);
const released = ({ releases }: Decision): string[] => [...releases.keys()];

describe('a roll-out', () => {
  it('begins with one agent', () => {
    expect(decide(fleet(5))).toMatchObject({ phase: 'Canary', wave: 1, updated: 0 });
    expect(released(decide(fleet(5)))).toEqual(['bmc vms/vm-0']);
  });

  it('has a canary that is Ready and follows the image of the installation, if there is one', () => {
    const [first, second, third] = [fleet(1, { isReady: false }), fleet(2, { isPinned: true }), fleet(3)].map((each) =>
      each.at(-1),
    );
    expect(released(decide([first, second, third].filter((each) => each !== undefined)))).toEqual(['bmc vms/vm-2']);
  });

  it('updates no second agent before the canary has been Ready for long enough', () => {
    const [canary, ...others] = fleet(5);
    const at = (readySince: number | undefined) =>
      decide([aFact(canary?.key ?? '', updatedIn(1, { readySince })), ...others]);
    expect(released(at(undefined))).toEqual([]);
    expect(at(NOW - 999)).toMatchObject({ phase: 'Canary', lookAgain: 1 });
    expect(released(at(NOW - 1000))).toEqual(['bmc vms/vm-1', 'bmc vms/vm-2']);
    expect(at(NOW - 1000)).toMatchObject({ phase: 'Updating', wave: 2 });
  });

  it('takes a percentage of all agents, and at least one', () => {
    const proved = aFact('bmc vms/proved', updatedIn(1));
    const many = (count: number, maxUnavailable: string | number) =>
      released(decide([proved, ...fleet(count)], { maxUnavailable })).length;
    expect([many(9, '25%'), many(9, '5%'), many(9, 0), many(9, 4)]).toEqual([2, 1, 1, 4]);
  });

  it('has a canary of each kind of agent', () => {
    const proved = aFact('bmc vms/proved', updatedIn(1));
    const dhcp = ['a', 'b'].map((name) => aFact(`dhcp vms/${name}`, { kind: 'dhcp' }));
    const shared = ['s', 't'].map((name) => aFact(`shared vms/${name}`, { kind: 'shared' }));
    expect(released(decide([proved, ...fleet(3), ...dhcp, ...shared]))).toEqual(['shared vms/s']);
    expect(decide([proved, ...fleet(3), ...dhcp])).toMatchObject({ phase: 'Canary' });
    expect(released(decide([proved, ...fleet(3), ...dhcp]))).toEqual(['dhcp vms/a']);
  });

  it('updates the agents of one network one after the other', () => {
    const proved = aFact('dhcp vms/proved', updatedIn(1, { kind: 'dhcp' }));
    const siblings = ['a-0', 'a-1', 'b-0'].map((name) =>
      aFact(`dhcp vms/${name}`, { kind: 'dhcp', group: name.slice(0, 1) }),
    );
    expect(released(decide([proved, ...siblings], { maxUnavailable: 3 }))).toEqual(['dhcp vms/a-0', 'dhcp vms/b-0']);
  });

  it('leaves held agents, and is complete without them', () => {
    const agents = [aFact('bmc vms/a', updatedIn(1)), aFact('bmc vms/b', { isHeld: true })];
    expect(decide(agents)).toMatchObject({ phase: 'Complete', updated: 1, held: 1 });
  });

  it('waits while it is paused', () => {
    expect(decide(fleet(2), { paused: true })).toMatchObject({ phase: 'Paused' });
    expect(released(decide(fleet(2), { paused: true }))).toEqual([]);
  });
});

describe('a failing agent', () => {
  const failing = aFact('bmc vms/failing', updatedIn(1, { readySince: undefined, trouble: BAD_IMAGE }));

  it('stops the roll-out at once if its image cannot be pulled', () => {
    const decision = decide([failing, ...fleet(4)]);
    expect(decision).toMatchObject({ phase: 'Stopped', failures: [{ name: 'failing', reason: 'ImagePullBackOff' }] });
    expect(released(decision)).toEqual([]);
  });

  it('stops it after the deadline if it is only not ready', () => {
    const silent = aFact(
      'bmc vms/silent',
      updatedIn(1, { readySince: undefined, trouble: { ...BAD_IMAGE, isHard: false } }),
    );
    expect(decide([silent, ...fleet(4)], { deadline: 5001 })).toMatchObject({ phase: 'Canary', lookAgain: 1 });
    expect(decide([silent, ...fleet(4)], { deadline: 5000 })).toMatchObject({ phase: 'Stopped' });
  });

  it('keeps it stopped when it is ready later, until the revision or the attempt changes', () => {
    const recovered = [aFact('bmc vms/failing', updatedIn(1)), ...fleet(4)];
    const before: Before = { phase: 'Stopped', revision: 'new', attempt: 1 };
    expect(decide(recovered, {}, before).phase).toBe('Stopped');
    expect(decide(recovered, { attempt: 2 }, before).phase).toBe('Updating');
    expect(decide(recovered, {}, { ...before, revision: 'other' }).phase).toBe('Updating');
  });

  it('does not stop the next attempt, which has a canary of its own', () => {
    const decision = decide([failing, ...fleet(4)], { attempt: 2 }, { phase: 'Stopped', revision: 'new', attempt: 1 });
    expect(decision).toMatchObject({ phase: 'Canary', failures: [] });
    expect(released(decision)).toEqual(['bmc vms/vm-0']);
  });

  it('does not stop it if it was not Ready before, unless it is the canary', () => {
    const note = { revision: 'new', own: '', wave: 2, attempt: 1, at: AT, wasReady: false };
    const sick = aFact('bmc vms/sick', { note, readySince: undefined, trouble: BAD_IMAGE });
    expect(decide([aFact('bmc vms/proved', updatedIn(1)), sick, ...fleet(4)]).phase).toBe('Updating');
    expect(decide([sick, ...fleet(4)]).phase).toBe('Stopped');
  });

  it('is the canary of the next revision, so that no other agent is risked', () => {
    expect(
      decideRollout([...fleet(3), failing], 'newer', POLICY, {}, NOW)
        .releases.keys()
        .next().value,
    ).toBe(failing.key);
  });

  it('does not hold up the others if its Deployment cannot be changed', () => {
    const agents = [aFact('bmc vms/proved', updatedIn(1)), ...fleet(4)];
    const releases = new Map([['bmc vms/vm-0', { wave: 2, since: NOW - POLICY.deadline }]]);
    const decision = decide(agents, {}, { revision: 'new', releases });
    expect(decision.late).toMatchObject([{ name: 'vm-0', reason: 'NotChanged' }]);
    expect(released(decision)).toEqual(['bmc vms/vm-0', 'bmc vms/vm-1', 'bmc vms/vm-2']);
  });
});

/** A fleet in a model of the cluster: written agents become Ready or fail some time later. */
class Model {
  now = NOW;
  agents: AgentFact[];
  readonly touched = new Set<string>();
  #before: Before = {};

  constructor(agents: AgentFact[]) {
    this.agents = agents;
  }

  /** One decision; then some of the released agents are written. A killed manager forgets all but the status. */
  step(policy: Policy, isGood: boolean, written: number, isKilled: boolean): Decision {
    const decision = decideRollout(this.agents, 'new', policy, this.#before, this.now);
    const { phase, releases } = decision;
    this.#before = { phase, revision: 'new', attempt: policy.attempt, ...(isKilled ? {} : { releases }) };
    const names = [...releases.keys()].slice(0, written);
    this.agents = this.agents.map((agent) =>
      names.includes(agent.key) ? this.#written(agent, releases.get(agent.key)?.wave) : agent,
    );
    this.now += 400;
    this.agents = this.agents.map((agent) => this.#aged(agent, isGood));
    return decision;
  }

  /** Agents that a wave has updated and that have not been Ready for long enough. */
  unsettled({ minReady }: Policy): AgentFact[] {
    return this.agents.filter(
      ({ note, readySince }) =>
        note?.wasReady === true && (readySince === undefined || this.now - readySince < minReady),
    );
  }

  #written(agent: AgentFact, wave = 0): AgentFact {
    this.touched.add(agent.key);
    const at = new Date(this.now).toISOString();
    const note = { revision: 'new', own: '', wave, attempt: 1, at, wasReady: agent.isReady };
    return { ...agent, note, readySince: undefined, trouble: { ...READY, reason: 'ContainerCreating' } };
  }

  #aged(agent: AgentFact, isGood: boolean): AgentFact {
    if (agent.note?.at === undefined || agent.readySince !== undefined) return agent;
    if (this.now - Date.parse(agent.note.at) < 1500) return agent;
    return isGood
      ? { ...agent, isReady: true, readySince: this.now, trouble: READY }
      : { ...agent, trouble: BAD_IMAGE };
  }
}

const agentsOf = fc.array(
  fc.record({
    kind: fc.constantFrom('bmc' as const, 'shared' as const, 'dhcp' as const),
    network: fc.integer({ min: 0, max: 3 }),
    isReady: fc.boolean(),
    isHeld: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);
const steps = fc.array(fc.record({ written: fc.integer({ min: 0, max: 3 }), isKilled: fc.boolean() }), {
  minLength: 20,
  maxLength: 40,
});

describe('in a random fleet with a manager that is killed between any two writes', () => {
  const modelOf = (seeds: { kind: AgentFact['kind']; network: number; isReady: boolean; isHeld: boolean }[]) =>
    new Model(
      seeds.map(({ kind, network, ...state }, index) => {
        const name = `vm-${String(index).padStart(2, '0')}`;
        const group = kind === 'dhcp' ? `network ${network}` : name;
        return aFact(`${kind} vms/${name}`, { kind, group, ...state });
      }),
    );

  it('at most maxUnavailable agents are unsettled, one of each network, and held ones never; a good image ends everywhere', () => {
    fc.assert(
      fc.property(agentsOf, steps, (seeds, turns) => {
        const model = modelOf(seeds);
        for (const { written, isKilled } of turns) {
          model.step(POLICY, true, written, isKilled);
          const unsettled = model.unsettled(POLICY);
          expect(unsettled.length).toBeLessThanOrEqual(2);
          expect(new Set(unsettled.map(({ group }) => group)).size).toBe(unsettled.length);
        }
        let last: Decision | undefined;
        for (let turn = 0; turn < 200 && last?.phase !== 'Complete'; turn += 1)
          last = model.step(POLICY, true, 3, false);
        expect(last?.phase).toBe('Complete');
        expect(model.agents.filter(({ key, isHeld }) => isHeld && model.touched.has(key))).toEqual([]);
      }),
    );
  });

  it('a bad image reaches the canary only, and stops', () => {
    fc.assert(
      fc.property(agentsOf, steps, (seeds, turns) => {
        const model = modelOf(seeds);
        for (const { written, isKilled } of turns) model.step(POLICY, false, written, isKilled);
        expect(model.touched.size).toBeLessThanOrEqual(1);
        const after = model.step(POLICY, false, 3, false);
        expect(['Stopped', 'Canary', 'Complete']).toContain(after.phase);
      }),
    );
  });
});

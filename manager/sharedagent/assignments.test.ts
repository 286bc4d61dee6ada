import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Assignment } from './assignment.ts';
import { Assignments } from './assignments.ts';
import { aService, Services } from './testing/model.ts';

const CAPACITY = 3;
const ref = (name: string) => ({ namespace: 'vms', name });
const place = (agent: number, slot: number): Assignment => ({ agent: `virtbmc-shared-${agent}`, slot });
const started = (services = new Services()) => ({
  services,
  assignments: new Assignments({ services, capacity: CAPACITY }),
});

describe('the slot of a BMC', () => {
  it('is reserved until its Service shows it', () => {
    const { services, assignments } = started();
    expect(assignments.reserve(ref('a'))).toMatchObject(place(0, 0));
    expect(assignments.reserve(ref('b'))).toMatchObject(place(0, 1));
    services.write('a', place(0, 0));
    expect(assignments.reserve(ref('a'))).toMatchObject(place(0, 0));
    services.hear();
    expect(assignments.of(ref('virtbmc-shared-0')).map(({ bmc, slot }) => [bmc.name, slot])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
  });

  it('is free when the reservation is dropped, or the Service is gone', () => {
    const { services, assignments } = started();
    assignments.reserve(ref('a'));
    assignments.forget(ref('a'));
    expect(assignments.reserve(ref('b'))).toMatchObject(place(0, 0));
    services.write('b', place(0, 0));
    services.hear();
    services.delete('b');
    services.hear();
    expect(assignments.reserve(ref('c'))).toMatchObject(place(0, 0));
  });

  it.each([
    ['another selector', { ...aService('a', place(0, 0)).spec, selector: { app: 'web' } }],
    ['a name that is no shared agent', aService('a', { agent: 'virtbmc-shared-64', slot: 0 }).spec],
    ['a port of no slot', aService('a', place(0, 2000)).spec],
  ])('is not read from a Service with %s', (_, spec) => {
    const edited = { ...aService('a', undefined), spec };
    const one = new Assignments({
      capacity: CAPACITY,
      services: {
        subscribe: (tell) => {
          tell({ type: 'added', object: edited });
          return () => undefined;
        },
      },
    });
    expect(one.agentsOf(ref('a'))).toEqual([]);
  });

  it('is claimed by two BMCs if a Service was edited', () => {
    const { services, assignments } = started();
    services.write('a', place(0, 0));
    services.write('b', place(0, 0));
    services.hear();
    expect(assignments.rivals(ref('a'), place(0, 0)).map(({ bmc }) => bmc.name)).toEqual(['b']);
    expect(assignments.rivals(ref('a'), place(0, 1))).toEqual([]);
  });

  it('tells the agents whose BMCs change', () => {
    const { services, assignments } = started();
    const told: string[] = [];
    assignments.start(({ name }) => told.push(name));
    services.write('a', place(0, 0));
    services.hear();
    services.write('a', place(1, 0));
    services.hear();
    expect(told).toEqual(['virtbmc-shared-0', 'virtbmc-shared-0', 'virtbmc-shared-1']);
  });
});

type Step = { act: 'add' | 'remove' | 'write' | 'own'; bmc: number } | { act: 'hear' | 'restart' };

const steps = fc.array(
  fc.oneof(
    fc.record({ act: fc.constantFrom('add', 'remove', 'write', 'own'), bmc: fc.nat(11) }),
    fc.record({ act: fc.constantFrom('hear', 'restart') }),
  ),
  { maxLength: 60 },
) as fc.Arbitrary<Step[]>;

describe('BMCs that come, move and go while the manager is restarted at any time', () => {
  it('never share a slot, and keep theirs', () => {
    fc.assert(
      fc.property(steps, (turns) => {
        const services = new Services();
        let { assignments } = started(services);
        /** What the manager believes: its own writes, and the reservations of this process. */
        const written = new Map<string, Assignment>();
        const reserved = new Map<string, Assignment>();
        for (const step of turns) {
          if (step.act === 'hear') services.hear();
          else if (!('bmc' in step)) {
            services.restart();
            reserved.clear();
            assignments = started(services).assignments;
          } else {
            const name = `bmc-${step.bmc}`;
            const known = written.get(name);
            if (step.act === 'add' && known === undefined) {
              const claim = assignments.reserve(ref(name));
              if (claim !== undefined) reserved.set(name, { agent: claim.agent, slot: claim.slot });
            } else if (step.act === 'write' && reserved.has(name)) {
              const assignment = reserved.get(name);
              services.write(name, assignment);
              if (assignment !== undefined) written.set(name, assignment);
              reserved.delete(name);
            } else if (step.act === 'own' && known !== undefined) {
              services.write(name, undefined);
              written.delete(name);
            } else if (step.act === 'remove') {
              services.delete(name);
              assignments.forget(ref(name));
              written.delete(name);
              reserved.delete(name);
            }
          }
          const slots = [...written.values(), ...reserved.values()].map(({ agent, slot }) => `${agent} ${slot}`);
          expect(new Set(slots).size).toBe(slots.length);
        }
        services.hear();
        // The record is enough: a new process has the same.
        const again = started(services).assignments;
        for (const [name, { agent, slot }] of written)
          expect(again.of(ref(agent)).find(({ bmc }) => bmc.name === name)?.slot).toBe(slot);
      }),
    );
  });

  it('are balanced: each goes to the agent with the fewest of those that have room', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(fc.nat(29)), (count, gone) => {
        const { assignments } = started();
        for (let index = 0; index < count; index += 1) assignments.reserve(ref(`bmc-${index}`));
        for (const index of gone) assignments.forget(ref(`bmc-${index}`));
        const sizes = new Map(assignments.agents().map((agent) => [agent.name, assignments.of(agent).length]));
        const open = [...sizes.values()].filter((size) => size < CAPACITY);
        const { agent = '' } = assignments.reserve(ref('another')) ?? {};
        expect(sizes.get(agent)).toBe(open.length === 0 ? undefined : Math.min(...open));
      }),
    );
  });

  it('are packed: a new agent begins only when all others are full', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), (count) => {
        const { assignments } = started();
        for (let index = 0; index < count; index += 1) assignments.reserve(ref(`bmc-${index}`));
        expect(assignments.agents()).toHaveLength(Math.ceil(count / CAPACITY));
      }),
    );
  });
});

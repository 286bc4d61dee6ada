import { describe, expect, it } from 'vitest';
import { parseIpv4, type IPLease } from '../../../api/index.ts';
import type { FixedAddress } from '../inputs.ts';
import { aConfig, aLease, anInterface, aPool, inputs, poolInputs } from '../testing/builders.ts';
import { planOf } from './plan.ts';

const at = (text: string): number => parseIpv4(text) ?? 0;

const fixed = (text: string, given: Partial<FixedAddress> = {}): FixedAddress => ({
  address: at(text),
  by: 'spec',
  pool: poolInputs(aPool()),
  keptForOther: false,
  ...given,
});

const DECLINED: IPLease['status'] = { state: 'Declined' };

describe('the plan for an interface with a dynamic address', () => {
  it('keeps the existing lease', () => {
    const lease = aLease('10.0.0.10');
    expect(planOf(inputs([anInterface()], [lease]))).toEqual({ release: [], interfaces: [{ do: 'Keep', lease }] });
  });

  it('keeps a lease of a paused pool, and of an address excluded since', () => {
    const lease = aLease('10.0.0.10');
    const pool = aPool('pool', { pool: { start: '10.0.0.10', end: '10.0.0.19', exclude: ['10.0.0.10'] } });
    const each = anInterface({ pools: [poolInputs(pool, 'Paused')] });
    expect(planOf(inputs([each], [lease])).interfaces).toEqual([{ do: 'Keep', lease }]);
  });

  it('allocates from active pools, the oldest first, and prefers the previous address', () => {
    const pools = [poolInputs(aPool('a'), 'Paused'), poolInputs(aPool('b')), poolInputs(aPool('c'))];
    const plan = planOf(inputs([anInterface({ pools, previous: at('10.0.0.15') })]));
    expect(plan.interfaces).toEqual([{ do: 'Allocate', pools: pools.slice(1), preferred: at('10.0.0.15') }]);
  });

  it('takes back a released lease, unless its address may no longer be leased', () => {
    const lease = aLease('10.0.0.10', { labels: ['released'] });
    expect(planOf(inputs([anInterface()], [lease])).interfaces).toEqual([{ do: 'Revive', lease }]);
    const pool = aPool('pool', { pool: { start: '10.0.0.10', end: '10.0.0.19', exclude: ['10.0.0.10'] } });
    const each = anInterface({ pools: [poolInputs(pool)] });
    expect(planOf(inputs([each], [lease])).interfaces).toMatchObject([{ do: 'Allocate' }]);
    const conflicted = aLease('10.0.0.10', { labels: ['released'], status: DECLINED });
    expect(planOf(inputs([anInterface()], [conflicted])).interfaces).toMatchObject([{ do: 'Allocate' }]);
  });

  it('uses a lease retained for its VM, with the same or another MAC address', () => {
    const kept = aLease('10.0.0.10', { labels: ['retained'] });
    expect(planOf(inputs([anInterface()], [kept]))).toEqual({
      release: [],
      interfaces: [{ do: 'Revive', lease: kept }],
    });
    const other = aLease('10.0.0.10', { labels: ['retained'], mac: '52:54:00:00:00:99' });
    expect(planOf(inputs([anInterface()], [other]))).toMatchObject({
      release: [],
      interfaces: [{ do: 'HandOver', from: other, address: at('10.0.0.10') }],
    });
  });

  it('does not use a lease retained for another interface of the VM', () => {
    const kept = aLease('10.0.0.10', { labels: ['retained'], mac: '52:54:00:00:00:02' });
    const second = anInterface({ mac: '52:54:00:00:00:02' });
    expect(planOf(inputs([anInterface(), second], [kept])).interfaces).toMatchObject([
      { do: 'Allocate' },
      { do: 'Revive', lease: kept },
    ]);
  });

  it('uses a lease that a user created and does not change it', () => {
    const { vmNetworkConfigRef: _, vmRef: __, ...spec } = aLease('10.0.0.30').spec;
    const held = { ...aLease('10.0.0.30'), spec };
    expect(planOf(inputs([anInterface({ held })]))).toEqual({ release: [], interfaces: [{ do: 'Keep', lease: held }] });
  });

  it.each([
    ['NoPool', []],
    ['PoolPaused', [poolInputs(aPool(), 'Paused')]],
    ['PoolDeleting', [poolInputs(aPool(), 'Ends')]],
    ['PoolCollides', [poolInputs(aPool(), 'Collides')]],
    ['PoolInvalid', [poolInputs(aPool('pool', { cidr: 'none' }), 'Invalid')]],
  ] as const)('waits if the reason is %s', (reason, pools) => {
    expect(planOf(inputs([anInterface({ pools })])).interfaces).toMatchObject([{ do: 'Wait', result: { reason } }]);
  });
});

describe('the plan for an interface with a duplicate MAC address', () => {
  it('waits, releases its lease, and names the other owner', () => {
    const lease = aLease('10.0.0.10');
    const rival = aConfig({ vmName: 'db' }, { name: 'db', uid: 'uid-of-db' });
    const plan = planOf(inputs([anInterface({ rival })], [lease]));
    expect(plan).toMatchObject({
      release: [{ lease, why: 'Refused' }],
      interfaces: [{ do: 'Wait', result: { reason: 'DuplicateMAC' } }],
    });
    expect(plan.interfaces[0]).toMatchObject({ result: { message: expect.stringContaining('vms/db') as string } });
  });
});

describe('the plan for an interface with a fixed address', () => {
  it('claims the address and releases the previous one', () => {
    const lease = aLease('10.0.0.10');
    expect(planOf(inputs([anInterface({ fixed: fixed('10.0.0.15') })], [lease]))).toMatchObject({
      release: [{ lease, why: 'Moved' }],
      interfaces: [{ do: 'Claim', address: at('10.0.0.15') }],
    });
  });

  it('reports until when a former client may hold the address', () => {
    const occupant = aLease('10.0.0.15', {
      config: 'db',
      vm: 'db',
      labels: ['released'],
      status: { expires: '2026-02-01T00:00:00Z' },
    });
    const plan = planOf(inputs([anInterface({ fixed: fixed('10.0.0.15', { occupant }) })]));
    expect(plan.interfaces[0]).toMatchObject({
      result: { message: expect.stringContaining('2026-02-01T00:00:00Z') as string },
    });
  });

  it('takes the address over from an earlier MAC address of the VM', () => {
    const occupant = aLease('10.0.0.15', { mac: '52:54:00:00:00:09' });
    const plan = planOf(inputs([anInterface({ fixed: fixed('10.0.0.15', { occupant }) })], [occupant]));
    expect(plan).toMatchObject({ release: [], interfaces: [{ do: 'HandOver', from: occupant }] });
  });

  it('does not take the address from another config of the same VM', () => {
    const occupant = aLease('10.0.0.15', { config: 'web-by-hand', mac: '52:54:00:00:00:09' });
    const plan = planOf(inputs([anInterface({ fixed: fixed('10.0.0.15', { occupant }) })], [occupant]));
    expect(plan.interfaces).toMatchObject([{ do: 'Wait', result: { reason: 'AddressInUse' } }]);
  });

  it('does not take the address from another interface that has it correctly', () => {
    const occupant = aLease('10.0.0.15', { mac: '52:54:00:00:00:02' });
    const first = anInterface({ fixed: fixed('10.0.0.15', { occupant }) });
    const second = anInterface({ mac: '52:54:00:00:00:02' });
    expect(planOf(inputs([first, second], [occupant])).interfaces).toMatchObject([
      { do: 'Wait', result: { reason: 'AddressInUse' } },
      { do: 'Keep', lease: occupant },
    ]);
  });

  it('keeps the address in a conflict with another machine, and reports it', () => {
    const lease = aLease('10.0.0.15', { status: DECLINED });
    expect(planOf(inputs([anInterface({ fixed: fixed('10.0.0.15', { occupant: lease }) })], [lease]))).toMatchObject({
      release: [],
      interfaces: [{ do: 'Keep', lease, result: { reason: 'AddressConflict' } }],
    });
  });

  it('keeps an address that was excluded after it was leased', () => {
    const pool = aPool('pool', { pool: { start: '10.0.0.10', end: '10.0.0.19', exclude: ['10.0.0.15'] } });
    const lease = aLease('10.0.0.15');
    const each = anInterface({ fixed: fixed('10.0.0.15', { occupant: lease, pool: poolInputs(pool) }) });
    expect(planOf(inputs([each], [lease])).interfaces).toEqual([{ do: 'Keep', lease }]);
    expect(planOf(inputs([each])).interfaces).toMatchObject([{ do: 'Wait', result: { reason: 'AddressExcluded' } }]);
  });

  it.each([
    ['AddressUnusable', '10.0.0.0', {}],
    ['AddressUnusable', '10.0.0.1', {}],
    ['AddressUnusable', '10.0.0.2', {}],
    ['AddressReserved', '10.0.0.15', { keptForOther: true }],
    ['PoolPaused', '10.0.0.15', { pool: poolInputs(aPool(), 'Paused') }],
  ] as const)('waits as %s at %s', (reason, text, given) => {
    expect(planOf(inputs([anInterface({ fixed: fixed(text, given) })])).interfaces).toMatchObject([
      { do: 'Wait', result: { reason } },
    ]);
  });

  it('waits for an address that is in no pool', () => {
    const { pool: _, ...nowhere } = fixed('192.168.0.1');
    expect(planOf(inputs([anInterface({ fixed: nowhere })])).interfaces).toMatchObject([
      { do: 'Wait', result: { reason: 'AddressOutOfNetwork' } },
    ]);
  });
});

import { onTestFinished, describe, expect, it } from 'vitest';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { parseIpv4Cidr } from '../../api/index.ts';
import { LOOKUPS_PER_MINUTE, MAX_NAMES, NtpNames, namesIn, ntpServersOf } from './ntp-names.ts';

const POOL = { namespace: 'vms', name: 'pool' };

function setUp() {
  const clock = new FakeClock();
  const answers = new Map<string, string[]>();
  const asked: string[] = [];
  const silence = Promise.withResolvers<string[]>();
  const names = new NtpNames({
    resolve: (name) => {
      asked.push(name);
      if (name.startsWith('silent')) return silence.promise;
      const addresses = answers.get(name);
      return addresses === undefined ? Promise.reject(new Error(`no ${name}`)) : Promise.resolve(addresses);
    },
    allowedRanges: [parseIpv4Cidr('10.0.0.0/24') ?? expect.fail('it is a network')],
    clock,
    logger: silentLogger,
  });
  const told: string[] = [];
  names.source.start(({ name }) => told.push(name));
  const stop = new AbortController();
  const running = names.controller.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    silence.resolve([]);
    await running;
  });
  return { clock, answers, asked, names, told };
}

describe('the addresses of NTP servers', () => {
  it('are resolved in the background and reported to the pools that use them', async () => {
    const { clock, answers, names, told } = setUp();
    answers.set('time', ['10.0.0.9', '10.0.0.8']);
    names.want(POOL, ['time']);
    expect(names.addresses(POOL, 'time')).toBeUndefined();
    await clock.advance(0);
    expect(names.addresses(POOL, 'time')).toEqual(['10.0.0.8', '10.0.0.9']);
    expect(told).toEqual(['pool']);
  });

  it('are resolved again after 5 minutes and reported only if they have changed', async () => {
    const { clock, answers, asked, names, told } = setUp();
    answers.set('time', ['10.0.0.8', '10.0.0.9']);
    names.want(POOL, ['time']);
    await clock.advance(0);
    // Name servers rotate the order.
    answers.set('time', ['10.0.0.9', '10.0.0.8']);
    await clock.advance(300_000);
    expect([asked.length, told.length]).toEqual([2, 1]);
    answers.set('time', ['10.0.0.7']);
    await clock.advance(300_000);
    expect(told).toHaveLength(2);
    expect(names.addresses(POOL, 'time')).toEqual(['10.0.0.7']);
  });

  it('are kept while no name server answers, and retried after 30 s', async () => {
    const { clock, answers, asked, names } = setUp();
    answers.set('time', ['10.0.0.8']);
    names.want(POOL, ['time']);
    await clock.advance(0);
    answers.delete('time');
    await clock.advance(300_000);
    expect(names.addresses(POOL, 'time')).toEqual(['10.0.0.8']);
    await clock.advance(30_000);
    expect(asked).toHaveLength(3);
  });

  it('are dropped with the last pool that names them', async () => {
    const { clock, answers, asked, names } = setUp();
    answers.set('time', ['10.0.0.8']);
    names.want(POOL, ['time']);
    await clock.advance(0);
    names.want(POOL, []);
    await clock.advance(1_000_000);
    expect(asked).toHaveLength(1);
    expect(names.addresses(POOL, 'time')).toBeUndefined();
  });

  it('are listed in the order of the entries, without duplicates', () => {
    const known: Record<string, string[]> = { time: ['10.0.0.2', '10.0.0.1'] };
    const of = (...ntp: string[]) => ntpServersOf(ntp, (name) => known[name]);
    expect(namesIn(['10.0.0.1', 'time'])).toEqual(['time']);
    expect(of('10.0.0.1', 'time')).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(of()).toEqual([]);
  });

  it('include the previous ones after the known ones while a name is unresolved', () => {
    const of = (before: string[], ...ntp: string[]) =>
      ntpServersOf(ntp, (name) => (name === 'time' ? ['10.0.0.2'] : undefined), before);
    expect(of([], '10.0.0.1', 'unresolved', 'time')).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(of(['10.0.0.9', '10.0.0.2'], 'unresolved', 'time')).toEqual(['10.0.0.2', '10.0.0.9']);
    expect(of(['10.0.0.9'], 'time')).toEqual(['10.0.0.2']);
  });
});

describe('the names of a tenant', () => {
  it('reveal no private address, nor whether the manager can resolve them', async () => {
    const { clock, answers, names } = setUp();
    answers.set('api.prod.svc.cluster.local', ['10.96.0.1']);
    answers.set('mixed', ['10.96.0.1', '192.0.2.1']);
    names.want(POOL, ['api.prod.svc.cluster.local', 'nothing', 'mixed']);
    await clock.advance(1000);
    expect(names.addresses(POOL, 'api.prod.svc.cluster.local')).toBeUndefined();
    expect(names.failure(POOL, 'api.prod.svc.cluster.local')).toContain('dhcp.allowedNTPRanges');
    expect(names.failure(POOL, 'nothing')).toBe(names.failure(POOL, 'api.prod.svc.cluster.local'));
    expect(names.addresses(POOL, 'mixed')).toEqual(['192.0.2.1']);
    expect(names.allows('10.96.0.1')).toBe(false);
  });

  it('do not delay those of another namespace, however many they are and however long they take', async () => {
    const { clock, answers, asked, names } = setUp();
    answers.set('time', ['10.0.0.8']);
    for (let index = 0; index < 100; index += 1)
      names.want({ namespace: 'hostile', name: `pool-${index}` }, [`silent-${index}`]);
    names.want(POOL, ['time']);
    await clock.advance(0);
    expect(names.addresses(POOL, 'time')).toEqual(['10.0.0.8']);
    expect(asked).toEqual(['silent-0', 'time']);
  });

  it('are limited in number and in lookups a minute', async () => {
    const { clock, asked, names } = setUp();
    const pools = Array.from({ length: 100 }, (_, index) => ({ namespace: 'vms', name: `pool-${index}` }));
    for (const [index, pool] of pools.entries()) names.want(pool, [`name-${index}`]);
    await clock.advance(20_000);
    expect(asked).toHaveLength(MAX_NAMES);
    expect(names.failure(POOL, 'name-99')).toContain(`only ${MAX_NAMES} names`);
    // New names all the time.
    for (let round = 0; round < 100; round += 1) {
      names.want(POOL, [`new-${round}`]);
      for (const pool of pools) names.want(pool, []);
      await clock.advance(300);
    }
    expect(asked.length).toBeLessThanOrEqual(LOOKUPS_PER_MINUTE);
  });
});

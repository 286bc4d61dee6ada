import { describe, expect, it } from 'vitest';
import { loginSource, RecentMap } from './login-sources.ts';

describe('the source of a log-in', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
  ])('of %s is %s', (address, source) => {
    expect(loginSource(address)).toBe(source);
  });
});

describe('a map of recent entries', () => {
  it('forgets the least recently used one, also after repeated use', () => {
    const map = new RecentMap<string, string>(2);
    for (const key of ['a', 'b', 'a', 'a', 'c']) map.use(key, () => key);
    expect([...map.values()]).toEqual(['a', 'c']);
  });

  it('has a new value for a key that was deleted', () => {
    const map = new RecentMap<string, number>(2);
    map.use('a', () => 1);
    map.delete('a');
    expect(map.use('a', () => 2)).toBe(2);
  });
});

import { expect, it } from 'vitest';
import { OwnVersion } from './object-version.ts';

const version = (resourceVersion: string, uid = 'a') => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', uid, resourceVersion } },
});

it('shows what this process has written until the watch has caught up, and forgets it then', () => {
  const own = new OwnVersion();
  const written = version('10');
  own.note(written);
  expect(own.over(version('9'))).toBe(written);
  const cached = version('10');
  expect(own.over(cached)).toBe(cached);
  expect(own.object).toBeUndefined();
});

it('does not show it in place of another object of that name', () => {
  const own = new OwnVersion();
  own.note(version('10'));
  const other = version('9', 'b');
  expect(own.over(other)).toBe(other);
});

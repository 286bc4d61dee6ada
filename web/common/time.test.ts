import { expect, it } from 'vitest';
import { timeAt } from './time.tsx';

const AT = '2026-03-04T12:34:56Z';

it('shows a time in words, and the exact one on hover', () => {
  expect(timeAt(AT, Date.parse(AT) + 3 * 3_600_000)).toMatchObject({
    type: 'time',
    props: { dateTime: AT, title: expect.stringMatching(/2026.*:56/) as string, children: '3 hours ago' },
  });
});

it.each([undefined, 'soon'])('shows nothing for %s', (at) => {
  expect(timeAt(at, 0)).toBeNull();
});

import { expect, it } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { type Kernel, KernelNeighbours, neighbourIn } from './neighbours.ts';

const HEADER = 'IP address       HW type     Flags       HW address            Mask     Device\n';
const ENTRY = `${HEADER}10.0.0.5         0x1         0x2         52:54:00:12:34:56     *        eth1\n`;
const ADDRESS = 0x0a000005;
const OWN = 0x0a000002;

/** Looks for 10.0.0.5 where the table is the first one before the kernel looks, and the n-th one after its n-1-th look. */
async function lookUp(...tables: string[]): Promise<{ found: number | undefined; asked: string[] }> {
  const clock = new FakeClock();
  const asked: string[] = [];
  const kernel: Kernel = {
    arpTable: () => tables[asked.length] ?? HEADER,
    provoke: (address, from) => {
      asked.push(`${address} from ${from}`);
      return Promise.resolve();
    },
  };
  const looking = new KernelNeighbours(clock, kernel).lookUp(ADDRESS, OWN, new AbortController().signal);
  await clock.advance(10_000);
  await clock.advance(2000);
  return { found: await looking, asked };
}

it('finds the MAC address that answers, with ARP from the server address', async () => {
  expect(await lookUp(HEADER, ENTRY)).toEqual({ found: 0x525400123456, asked: ['10.0.0.5 from 10.0.0.2'] });
});

it('returns undefined without an answer', async () => {
  expect((await lookUp(HEADER, HEADER)).found).toBeUndefined();
});

it('lets the kernel check an entry that was in the ARP table before', async () => {
  expect(await lookUp(ENTRY, ENTRY)).toMatchObject({ found: 0x525400123456, asked: { length: 1 } });
  // The former holder is gone, and another machine answers.
  const other = ENTRY.replace('12:34:56', '99:99:99');
  expect(await lookUp(ENTRY, HEADER, other)).toMatchObject({ found: 0x525400999999, asked: { length: 2 } });
  expect((await lookUp(ENTRY, HEADER, HEADER)).found).toBeUndefined();
});

const TABLE = `IP address       HW type     Flags       HW address            Mask     Device
10.0.0.5         0x1         0x2         52:54:00:12:34:56     *        eth1
10.0.0.50        0x1         0x0         00:00:00:00:00:00     *        eth1
10.0.0.6         0x1         0x6         52:54:00:12:34:57     *        eth1
`;

it('finds the complete entry of an address', () => {
  expect(neighbourIn(TABLE, '10.0.0.5')).toBe(0x525400123456);
  expect(neighbourIn(TABLE, '10.0.0.6')).toBe(0x525400123457);
});

it('returns undefined without a complete entry', () => {
  expect(neighbourIn(TABLE, '10.0.0.50')).toBeUndefined();
  expect(neighbourIn(TABLE, '10.0.0.7')).toBeUndefined();
  expect(neighbourIn('', '10.0.0.5')).toBeUndefined();
});

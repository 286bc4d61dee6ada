import { expect, it } from 'vitest';
import { neighbourIn } from './arp-table.ts';

const TABLE = `IP address       HW type     Flags       HW address            Mask     Device
10.0.0.5         0x1         0x2         52:54:00:12:34:56     *        eth1
10.0.0.50        0x1         0x0         00:00:00:00:00:00     *        eth1
10.0.0.6         0x1         0x6         52:54:00:12:34:57     *        eth1
`;

it('finds who has answered for an address', () => {
  expect(neighbourIn(TABLE, '10.0.0.5')).toBe(0x525400123456);
  expect(neighbourIn(TABLE, '10.0.0.6')).toBe(0x525400123457);
});

it('finds nobody where nobody has answered', () => {
  expect(neighbourIn(TABLE, '10.0.0.50')).toBeUndefined();
  expect(neighbourIn(TABLE, '10.0.0.7')).toBeUndefined();
  expect(neighbourIn('', '10.0.0.5')).toBeUndefined();
});

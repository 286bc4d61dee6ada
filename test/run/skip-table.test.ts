import { expect, it } from 'vitest';
import { skipTable } from './skip-table.ts';

const IPMITOOL = { what: 'ipmitool', remedy: 'apt-get install ipmitool' };
const KUBECTL = { what: 'kubectl', remedy: 'npm run tools' };
const ETCD = { what: 'etcd', remedy: 'npm run tools' };

it('counts the tests that need a program and shows how to install it', () => {
  expect(
    skipTable([
      { name: 'a', lacks: [KUBECTL] },
      { name: 'b', lacks: [IPMITOOL, KUBECTL] },
      { name: 'kubernetes', lacks: [ETCD, KUBECTL], isTier: true },
    ]),
  ).toEqual([
    'SKIPPED on this machine: 2 tests and the tier kubernetes',
    '  NEEDS     TESTS                 HOW TO GET IT',
    '  kubectl   2, all of kubernetes  npm run tools',
    '  ipmitool  1                     apt-get install ipmitool',
    '  etcd      all of kubernetes     npm run tools',
  ]);
});

it('lists each test that is skipped without a known reason', () => {
  expect(skipTable([{ name: 'src/a.test.ts: adds', lacks: [] }])).toEqual(['SKIPPED src/a.test.ts: adds']);
});

it('is empty if no test was skipped', () => {
  expect(skipTable([])).toEqual([]);
});

import { expect, it } from 'vitest';
import { failedFiles, readReport, withFilesAgain } from './read-report.ts';

const IPMITOOL = { what: 'ipmitool', remedy: 'apt-get install ipmitool' };

it('counts tests, and files that fail outside their tests', () => {
  const tally = readReport(
    {
      testResults: [
        {
          name: '/project/src/a.test.ts',
          status: 'failed',
          assertionResults: [
            { fullName: 'adds', status: 'passed' },
            { fullName: 'subtracts', status: 'failed' },
            { fullName: 'divides', status: 'skipped', meta: { lacks: [IPMITOOL] } },
            { fullName: 'multiplies', status: 'todo', meta: {} },
          ],
        },
        { name: '/project/src/b.test.ts', status: 'failed', assertionResults: [] },
        {
          name: '/project/src/c.test.ts',
          status: 'failed',
          assertionResults: [{ fullName: 'runs', status: 'passed' }],
        },
      ],
    },
    '/project',
  );
  expect(tally).toEqual({
    passed: 2,
    failed: ['src/a.test.ts: subtracts', 'src/b.test.ts: outside its tests', 'src/c.test.ts: outside its tests'],
    skipped: [
      { name: 'src/a.test.ts: divides', lacks: [IPMITOOL] },
      { name: 'src/a.test.ts: multiplies', lacks: [] },
    ],
  });
});

it('uses the result of the second run of a file', () => {
  const run = (name: string, status: string) => ({
    ...{ name: `/project/${name}`, status },
    assertionResults: [{ fullName: 'runs', status }],
  });
  const first = { testResults: [run('a', 'passed'), run('b', 'failed'), run('c', 'failed')] };
  expect(failedFiles(first)).toEqual(['/project/b', '/project/c']);
  const both = withFilesAgain(first, { testResults: [run('b', 'passed'), run('c', 'failed')] });
  expect(readReport(both, '/project')).toEqual({ passed: 2, failed: ['c: runs'], skipped: [] });
});

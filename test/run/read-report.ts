import { relative } from 'node:path';
import type { Lack } from '../tools/index.ts';
import type { Tally } from './tally.ts';

/** The used part of vitest's JSON report. */
export interface Report {
  testResults: {
    /** Path of the file. */
    name: string;
    status: string;
    /** `meta`: of the test and its suites; see `needs` in test/tools. */
    assertionResults: { fullName: string; status: string; meta?: { lacks?: readonly Lack[] } }[];
  }[];
}

/** Counts the tests in a report; a file that could not be loaded counts as one failed test. */
export function readReport({ testResults }: Report, root: string): Tally {
  const tests = testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({ ...test, label: `${relative(root, file.name)}: ${test.fullName}` })),
  );
  const labels = (wanted: (status: string) => boolean) =>
    tests.filter(({ status }) => wanted(status)).map(({ label }) => label);
  const brokenFiles = testResults
    .filter((file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'))
    .map((file) => `${relative(root, file.name)}: outside its tests`);
  return {
    passed: labels((status) => status === 'passed').length,
    failed: [...labels((status) => status === 'failed'), ...brokenFiles],
    skipped: tests
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ label, meta }) => ({ name: label, lacks: meta?.lacks ?? [] })),
  };
}

/** Paths of the files with failures. */
export function failedFiles({ testResults }: Report): string[] {
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** Merges the report of files that ran a second time into the first report. */
export function withFilesAgain(first: Report, again: Report): Report {
  const files = new Set(again.testResults.map(({ name }) => name));
  return { testResults: [...first.testResults.filter(({ name }) => !files.has(name)), ...again.testResults] };
}

import { relative } from 'node:path';
import type { Tally } from './tally.ts';

/** The part of vitest's JSON report that is read. */
export interface Report {
  testResults: {
    /** Path of the file. */
    name: string;
    status: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

/** Counts the tests of a report; a file that could not be loaded counts as one that failed. */
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
    skipped: labels((status) => status !== 'passed' && status !== 'failed'),
  };
}

/** Paths of the files in which something failed. */
export function failedFiles({ testResults }: Report): string[] {
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** The report of a run in which some files ran once more. */
export function withFilesAgain(first: Report, again: Report): Report {
  const files = new Set(again.testResults.map(({ name }) => name));
  return { testResults: [...first.testResults.filter(({ name }) => !files.has(name)), ...again.testResults] };
}

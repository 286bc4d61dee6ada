import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { repository } from '../harness/repository.ts';

/**
 * Files that take longest, about the longest first in each tier; those with a browser begin when most of the storm of
 * `fleet` is over. A file that starts last keeps one worker busy while the others have nothing to do. Without results of
 * an earlier run, as in a fresh clone, vitest knows only the sizes of files.
 */
export const LONGEST: readonly string[] = [
  'test/e2e/fleet.test.ts',
  'test/e2e/redfish/fuzz.test.ts',
  'test/e2e/redfish/validators.test.ts',
  'test/e2e/data-dir.test.ts',
  'test/e2e/sandbox.test.ts',
  'test/e2e/clients/redfish-clients.test.ts',
  'test/e2e/dhcp/netboot.test.ts',
  'test/e2e/ipmi/clients.test.ts',
  'test/e2e/web/consoles.test.ts',
  'test/e2e/web/bmc-pages.test.ts',
  'test/suites/manager/cost.suite.ts',
  'test/suites/faults/fleet.suite.ts',
  'test/suites/cluster/manager-killed.suite.ts',
  'test/suites/faults/leader.suite.ts',
  'test/suites/ippool/other-controller.suite.ts',
  'test/chart/migration.test.ts',
  'test/suites/skew/skew.suite.ts',
  'test/suites/manager/other-controller.suite.ts',
  'test/suites/manager/shared.suite.ts',
  'test/suites/bmc-state/event-log.suite.ts',
  'test/suites/power/boot-override.suite.ts',
  'test/suites/manager/children.suite.ts',
  'test/suites/manager/watched-namespace.suite.ts',
];

/** Runs {@link LONGEST} first, in their order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONGEST.indexOf(relative(repository, moduleId));
      return rank < 0 ? LONGEST.length : rank;
    };
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../../../test/harness/repository.ts';

/** What KubeVirt 1.8.4 answered: `<name>.txt` of test/data/kubevirt, whose README says how it was recorded. */
export function readTestdata(name: 'edge' | 'scenario-all' | 'scenario-guest'): string {
  return readFileSync(join(repository, 'test/data/kubevirt', `${name}.txt`), 'utf8');
}

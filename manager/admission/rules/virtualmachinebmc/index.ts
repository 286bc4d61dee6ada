import type { BmcRule } from './facts.ts';
import { oneToAMachine } from './one-to-a-machine.ts';
import { serviceSettings } from './service-settings.ts';

export type { BmcFacts } from './facts.ts';

/** What is asked of a BMC that is made or changed, beyond its schema. */
export const BMC_RULES: readonly BmcRule[] = [oneToAMachine, serviceSettings];

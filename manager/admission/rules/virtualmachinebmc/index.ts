import type { BmcRule } from './inputs.ts';
import { oneToAMachine } from './one-to-a-machine.ts';
import { serviceSettings } from './service-settings.ts';

export type { BmcInputs } from './inputs.ts';

/** What is asked of a BMC that is made or changed, beyond its schema. */
export const BMC_RULES: readonly BmcRule[] = [oneToAMachine, serviceSettings];

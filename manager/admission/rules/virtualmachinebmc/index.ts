import type { BmcRule } from './inputs.ts';
import { oneToAMachine } from './one-to-a-machine.ts';
import { serviceSettings } from './service-settings.ts';

export type { BmcInputs } from './inputs.ts';

/** The rules for a BMC that is created or changed, besides its schema. */
export const BMC_RULES: readonly BmcRule[] = [oneToAMachine, serviceSettings];

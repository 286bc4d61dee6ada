import type { ConfigRule } from './inputs.ts';
import { macAddresses } from './mac-addresses.ts';
import { requestedAddresses } from './requested-addresses.ts';
import { sharedMacs } from './shared-macs.ts';

export { canonicalMacs } from './canonical-macs.ts';
export type { ConfigInputs } from './inputs.ts';

/** What is asked of a config that is made or changed. */
export const CONFIG_RULES: readonly ConfigRule[] = [macAddresses, requestedAddresses, sharedMacs];

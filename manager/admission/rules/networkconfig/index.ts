import type { ConfigRule } from './facts.ts';
import { macAddresses } from './mac-addresses.ts';
import { requestedAddresses } from './requested-addresses.ts';
import { sharedMacs } from './shared-macs.ts';

export { canonicalMacs } from './canonical-macs.ts';
export type { ConfigFacts } from './facts.ts';

/** What is asked of a config that is made or changed. */
export const CONFIG_RULES: readonly ConfigRule[] = [macAddresses, requestedAddresses, sharedMacs];

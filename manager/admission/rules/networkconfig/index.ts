import type { ConfigRule } from './inputs.ts';
import { macAddresses } from './mac-addresses.ts';
import { requestedAddresses } from './requested-addresses.ts';
import { sharedMacs } from './shared-macs.ts';

export { canonicalMacs } from './canonical-macs.ts';
export type { ConfigInputs } from './inputs.ts';

/** The rules for a config that is created or changed. */
export const CONFIG_RULES: readonly ConfigRule[] = [macAddresses, requestedAddresses, sharedMacs];

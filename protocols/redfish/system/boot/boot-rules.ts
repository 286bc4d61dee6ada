import type { ObjectRule } from '../../rules.ts';
import { ENABLED, MODES, TARGETS } from './boot-settings.ts';

/** The writable properties of a System's `Boot`. */
export const BOOT_RULES: ObjectRule = {
  kind: 'object',
  properties: {
    BootSourceOverrideEnabled: { kind: 'word', words: ENABLED },
    BootSourceOverrideTarget: { kind: 'word', words: TARGETS },
    BootSourceOverrideMode: { kind: 'word', words: MODES },
    // An empty URI clears it, as null does.
    HttpBootUri: { kind: 'text', maxLength: 1024, pattern: /^(https?:\/\/\S+)?$/i, isNullable: true },
    UefiTargetBootSourceOverride: { kind: 'text', maxLength: 256, isNullable: true },
    BootNext: { kind: 'text', maxLength: 256, isNullable: true },
    BootOrder: { kind: 'list', maxItems: 256, items: { kind: 'text', maxLength: 256 } },
  },
};

import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** PEF version of IPMI 1.5 and 2.0 in BCD with swapped digits. */
const PEF_VERSION = 0x51;
const NO_ACTIONS = 0x00;
const NO_FILTERS = 0;

/** Get PEF Capabilities, IPMI 2.0 §30.1: no event filters and no actions. */
export const getPefCapabilities: SessionCommand = {
  name: 'Get PEF Capabilities',
  netFn: NET_FN.sensor,
  command: 0x10,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: () => Buffer.of(PEF_VERSION, NO_ACTIONS, NO_FILTERS),
};

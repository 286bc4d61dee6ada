import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
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

const DISABLED = 0x00;

/** Arm PEF Postpone Timer, IPMI 2.0 §30.2. There is nothing to postpone, so the timer stays disabled; the response is its countdown. */
export const armPefPostponeTimer: SessionCommand = {
  name: 'Arm PEF Postpone Timer',
  netFn: NET_FN.sensor,
  command: 0x11,
  privilege: PRIVILEGE.administrator,
  requestLength: [1, 1],
  repeatable: true,
  handle: () => Buffer.of(DISABLED),
};

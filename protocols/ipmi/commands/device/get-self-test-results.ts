import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** Result code "no error" without detail. */
const NO_ERROR = [0x55, 0x00];

/** Get Self Test Results, IPMI 2.0 §20.4. Always "no error": there is no hardware that can fail. */
export const getSelfTestResults: SessionCommand = {
  name: 'Get Self Test Results',
  netFn: NET_FN.app,
  command: 0x04,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: () => Buffer.from(NO_ERROR),
};

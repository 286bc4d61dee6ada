import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { LAN_CHANNEL } from '../channel/channel.ts';
import { type BootCause, lastBoot } from './last-boot.ts';

const CAUSES: Readonly<Record<BootCause, number>> = { Unknown: 0, Command: 1, Watchdog: 4 };

/** Get System Restart Cause, IPMI 2.0 §28.11: the cause from the event log, and the channel of the command. */
export const getSystemRestartCause: SessionCommand = {
  name: 'Get System Restart Cause',
  netFn: NET_FN.chassis,
  command: 0x07,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const cause = lastBoot(bmc.machine.log.entries());
    return Buffer.of(CAUSES[cause], cause === 'Command' ? LAN_CHANNEL : 0);
  },
};

import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/**
 * Cold Reset, IPMI 2.0 §20.2: what the BMC keeps in memory is as when it started, the watchdog is stopped, reservations are
 * cancelled, and all sessions end, this one when it has its answer. What is stored stays: accounts, settings, the event log, a boot override in force. The machine
 * notices nothing.
 */
export const coldReset: SessionCommand = {
  name: 'Cold Reset',
  netFn: NET_FN.app,
  command: 0x02,
  privilege: PRIVILEGE.administrator,
  requestLength: [0, 0],
  repeatable: false,
  handle: (_request, { bmc }) => {
    bmc.identify.turnOff();
    bmc.watchdog.stop();
    bmc.bootOptions.reset();
    bmc.systemInfo.setInProgress.clear();
    bmc.reservations.sel.cancel();
    bmc.reservations.sdr.cancel();
    bmc.sessions.clear();
    return Buffer.alloc(0);
  },
};

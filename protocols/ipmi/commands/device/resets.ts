import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';

/**
 * Cold Reset, IPMI 2.0 §20.2: resets state in memory, stops the watchdog, cancels reservations, and ends all sessions, this one after
 * its response. Stored state is kept: accounts, settings, event log, boot override. The machine is not affected.
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
    bmc.reservations.sel.cancel();
    bmc.reservations.sdr.cancel();
    bmc.sessions.clear();
  },
};

/**
 * Warm Reset, IPMI 2.0 §20.3: ends other sessions and their pending operations. This session continues: after a warm reset, unlike
 * after a cold one, ipmitool closes it and expects an answer.
 */
export const warmReset: SessionCommand = {
  name: 'Warm Reset',
  netFn: NET_FN.app,
  command: 0x03,
  privilege: PRIVILEGE.administrator,
  requestLength: [0, 0],
  repeatable: false,
  handle: (_request, { bmc: { sessions }, session }) => {
    for (const other of sessions.active) if (other !== session) sessions.end(other, 'Invalidated');
  },
};

import type { SessionCommand } from '../command.ts';
import { getSelTime, setSelTime } from '../sel/sel-time.ts';

/** Get SDR Repository Time, IPMI 2.0 §33.17. The event log and the SDR repository have one clock. */
export const getSdrRepositoryTime: SessionCommand = {
  ...getSelTime,
  name: 'Get SDR Repository Time',
  command: 0x28,
};

/** Set SDR Repository Time, IPMI 2.0 §33.18: sets the clock of the event log, too. */
export const setSdrRepositoryTime: SessionCommand = {
  ...setSelTime,
  name: 'Set SDR Repository Time',
  command: 0x29,
};

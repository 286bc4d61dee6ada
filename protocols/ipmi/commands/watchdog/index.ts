import type { Command } from '../command.ts';
import { getWatchdogTimer } from './get-watchdog-timer.ts';
import { resetWatchdogTimer } from './reset-watchdog-timer.ts';
import { setWatchdogTimer } from './set-watchdog-timer.ts';

/** The watchdog timer, IPMI 2.0 §27. */
export const WATCHDOG_COMMANDS: readonly Command[] = [resetWatchdogTimer, setWatchdogTimer, getWatchdogTimer];

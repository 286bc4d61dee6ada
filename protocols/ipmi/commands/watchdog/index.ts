import type { Command } from '../command.ts';
import { getWatchdogTimer, resetWatchdogTimer, setWatchdogTimer } from './watchdog-commands.ts';

/** The watchdog timer, IPMI 2.0 §27. */
export const WATCHDOG_COMMANDS: readonly Command[] = [resetWatchdogTimer, setWatchdogTimer, getWatchdogTimer];

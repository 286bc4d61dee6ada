import type { Machine } from '../../machine/index.ts';
import { SetInProgress } from '../session/set-in-progress.ts';
import type { SettingsStore } from '../settings.ts';
import { BootOptions } from './chassis/boot-options.ts';
import { Identify } from './chassis/chassis-identify.ts';
import { PowerOnCounter } from './chassis/power-on-counter.ts';
import { SystemInfo } from './device/system-info.ts';
import { Watchdog } from './watchdog/watchdog.ts';

/** State of a BMC for its commands. */
export interface BmcParts {
  readonly bootOptions: BootOptions;
  readonly identify: Identify;
  readonly powerOnCounter: PowerOnCounter;
  readonly watchdog: Watchdog;
  readonly systemInfo: SystemInfo;
  /** The sessions that are writing LAN and PEF configuration parameters. */
  readonly setInProgress: { readonly lan: SetInProgress; readonly pef: SetInProgress };
}

export interface BmcPartsOptions {
  machine: Machine;
  settings: SettingsStore;
  /** ms since 1970 */
  time: () => number;
  /** Whether this process runs the watchdog and the power-on counter; only one process of a BMC does. */
  acts: () => boolean;
  /** ms; 0 for never. */
  bootFlagTimeout: number;
}

export function bmcParts({ machine, settings, time, acts, bootFlagTimeout }: BmcPartsOptions): BmcParts {
  const bootOptions = new BootOptions(machine, bootFlagTimeout);
  return {
    bootOptions,
    identify: new Identify(),
    powerOnCounter: new PowerOnCounter({ machine, settings, time }),
    watchdog: new Watchdog({
      machine,
      settings,
      time,
      acts,
      beforeBoot: (requester) => bootOptions.clearBeforeWatchdog(requester),
    }),
    systemInfo: new SystemInfo(machine, settings),
    setInProgress: { lan: new SetInProgress(), pef: new SetInProgress() },
  };
}

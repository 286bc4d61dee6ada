import { BOOT } from './boot.ts';
import { CONSOLE } from './console.ts';
import { CHASSIS } from './chassis.ts';
import { DEPLOYERS } from './deployers.ts';
import { DEVICE } from './device.ts';
import { EVENT_LOG } from './event-log.ts';
import { INVENTORY } from './inventory.ts';
import { IPMI15 } from './ipmi15.ts';
import { LOGINS } from './logins.ts';
import { NETWORK } from './network.ts';
import { POWER } from './power.ts';
import type { Topic } from './row.ts';
import { USERS } from './users.ts';

export type { Effect, Printed, Row, Topic } from './row.ts';

/** All rows for real clients, in the order of the run. */
export const TABLE: readonly Topic[] = [
  POWER,
  BOOT,
  CHASSIS,
  DEVICE,
  EVENT_LOG,
  INVENTORY,
  NETWORK,
  USERS,
  CONSOLE,
  DEPLOYERS,
  LOGINS,
  IPMI15,
];

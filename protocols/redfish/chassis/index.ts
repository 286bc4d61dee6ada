import type { RedfishContext } from '../context.ts';
import type { Route } from '../resource.ts';
import { chassisResourceRoutes } from './chassis.ts';
import { legacyRoutes } from './legacy.ts';
import { sensorRoutes } from './sensors.ts';
import { subsystemRoutes } from './subsystems.ts';

/** The chassis of a virtual machine: mainly the place of its sensors. */
export function chassisRoutes(context: RedfishContext): Route[] {
  return [
    ...chassisResourceRoutes(context),
    ...subsystemRoutes(),
    ...sensorRoutes(context.options.machine),
    ...legacyRoutes(context.options),
  ];
}

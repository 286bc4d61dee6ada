import type { RedfishContext } from '../context.ts';
import type { Route } from '../resource.ts';
import { chassisResourceRoutes } from './chassis.ts';
import { legacyRoutes } from './legacy.ts';
import { sensorRoutes } from './sensors.ts';
import { subsystemRoutes } from './subsystems.ts';

/** What the machine stands in, which for a virtual machine is little more than a place for what it measures. */
export function chassisRoutes(context: RedfishContext): Route[] {
  return [
    ...chassisResourceRoutes(context),
    ...subsystemRoutes(),
    ...sensorRoutes(context.options.machine),
    ...legacyRoutes(context.options),
  ];
}

import type { RedfishContext } from '../context.ts';
import type { Route } from '../resource.ts';
import { CHASSIS, MANAGER, SYSTEM } from '../uris.ts';
import { logServiceRoutes } from './log-service.ts';

export { LOG_MESSAGE_PREFIX, LOG_MESSAGES, LOG_REGISTRY, LOG_REGISTRY_VERSION } from './log-messages.ts';

/** The machine's single event log, shown under System, Manager and Chassis, because clients differ in where they look. */
export function logRoutes(context: RedfishContext): Route[] {
  return [SYSTEM, MANAGER, CHASSIS].flatMap((owner) => logServiceRoutes(context, owner));
}

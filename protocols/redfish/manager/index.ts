import type { RedfishContext } from '../context.ts';
import type { Route } from '../resource.ts';
import { ethernetInterfaceRoutes } from './ethernet-interface.ts';
import { bmcRoutes } from './manager.ts';
import { networkProtocolRoutes } from './network-protocol.ts';

/** The BMC itself and its network services. */
export function managerRoutes(context: RedfishContext): Route[] {
  return [...bmcRoutes(context), ...networkProtocolRoutes(context), ...ethernetInterfaceRoutes(context)];
}

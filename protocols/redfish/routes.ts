import { accessRoutes } from './access/index.ts';
import { certificatesRoutes } from './certificates.ts';
import { chassisRoutes } from './chassis.ts';
import type { RedfishContext } from './context.ts';
import { type Hub } from './events/hub.ts';
import { eventRoutes } from './events/subscriptions.ts';
import { logRoutes } from './log-service.ts';
import { managerRoutes } from './manager.ts';
import { mediaRoutes } from './virtual-media.ts';
import { privilegeRegistryRoute } from './privileges.ts';
import { jsonSchemaRoutes, registriesRoutes } from './registries.ts';
import type { Route } from './resource.ts';
import { serviceRootRoutes } from './service-root.ts';
import { systemRoutes } from './system/index.ts';
import { taskRoutes } from './tasks.ts';
import { updateRoutes } from './update-service.ts';

/** All routes of the service. */
export function redfishRoutes(context: RedfishContext & { readonly events: Hub }): readonly Route[] {
  const routes: readonly Route[] = [
    ...serviceRootRoutes(context),
    ...accessRoutes(context),
    ...systemRoutes(context),
    ...managerRoutes(context),
    ...chassisRoutes(context),
    ...mediaRoutes(context),
    ...logRoutes(context),
    ...certificatesRoutes(context),
    ...updateRoutes(context),
    ...eventRoutes(context),
    ...taskRoutes(context),
    ...registriesRoutes(),
    ...jsonSchemaRoutes(() => routes),
    privilegeRegistryRoute(),
  ];
  return routes;
}

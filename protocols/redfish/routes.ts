import { accessRoutes } from './access/index.ts';
import { certificatesRoutes } from './certificates/index.ts';
import { chassisRoutes } from './chassis/index.ts';
import type { RedfishContext } from './context.ts';
import { eventRoutes, type Hub } from './events/index.ts';
import { logRoutes } from './log/index.ts';
import { managerRoutes } from './manager/index.ts';
import { mediaRoutes } from './media/index.ts';
import { privilegeRegistryRoute } from './privileges/index.ts';
import { jsonSchemaRoutes, registriesRoutes } from './registries/index.ts';
import type { Route } from './resource.ts';
import { serviceRootRoutes } from './service-root/index.ts';
import { systemRoutes } from './system/index.ts';
import { taskRoutes } from './tasks/index.ts';
import { updateRoutes } from './update/index.ts';

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

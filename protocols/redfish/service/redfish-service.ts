import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Access, accessRoutes, createAccess } from '../access/access.ts';
import { AccountEditor } from '../access/account-editor.ts';
import { anonymous } from '../access/authenticator.ts';
import { certificateServiceRoutes } from '../certificate-service.ts';
import { certificatesRoutes } from '../certificates.ts';
import { chassisRoutes } from '../chassis.ts';
import { WebConsole } from '../consoles/web-console.ts';
import type { RedfishContext } from '../context.ts';
import { createEventHub, type Hub } from '../events/hub.ts';
import { Streams } from '../events/stream.ts';
import { eventRoutes } from '../events/subscriptions.ts';
import { logRoutes } from '../log-service.ts';
import { managerRoutes } from '../manager.ts';
import type { RedfishOptions } from '../options.ts';
import { privilegeRegistryRoute } from '../privileges.ts';
import { jsonSchemaRoutes, registriesRoutes } from '../registries.ts';
import { type Route, secretRevisions } from '../resource.ts';
import { serviceRootRoutes } from '../service-root.ts';
import { systemRoutes } from '../system/system-routes.ts';
import { taskRoutes } from '../tasks.ts';
import { telemetryRoutes } from '../telemetry.ts';
import { updateRoutes } from '../update-service.ts';
import { mediaRoutes } from '../virtual-media.ts';
import { resourceApp } from './dispatcher.ts';

/** The Redfish service of one machine, to be attached to an HTTP server. */
export interface RedfishService {
  /** Answers all requests. */
  readonly handler: RequestListener;
  /** Whether a request with the header `Upgrade` is for {@link upgrade}; `handler` answers all others. */
  accepts(request: IncomingMessage): boolean;
  /** Answers such a request, of the event `upgrade` of node:http: opens a console. Never rejects. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Ends event streams with a reconnection time, and consoles; requests are still answered. */
  drain(): void;
  /** Stops background work. Sessions stay. */
  close(): void;
}

/**
 * Creates the service. It opens no port and has no clock of its own.
 *
 * @example
 * const { handler, close } = createRedfishService({ machine, accounts, state, ... });
 * https.createServer({ key, cert }, handler).listen(443);
 */
export function createRedfishService(options: RedfishOptions): RedfishService {
  const startedAt = options.time();
  // Made for the first client, or to end sessions of an earlier process.
  let access: Access | undefined;
  const onEnd = (): void => {
    web.check();
  };
  const accessOf = (): Access => (access ??= createAccess(options, onEnd));
  if ((options.state.current().sessions ?? []).length > 0) accessOf();
  const events = createEventHub(options);
  const web = new WebConsole(options, accessOf);
  let state: RouteState | undefined;
  const routes = (): readonly Route[] => {
    const { sessions, logins } = accessOf();
    const context = { options, startedAt, sessions, logins, events, consoles: web };
    state ??= {
      editor: new AccountEditor(context),
      streams: new Streams(context),
      revisionOf: secretRevisions(options.random),
    };
    return redfishRoutes(context, state);
  };
  const redfish = resourceApp(routes, {
    gate: {
      authenticate: ({ authorization, 'x-auth-token': token }, address) =>
        accessOf().authenticate({ authorization, 'x-auth-token': token }, address),
      anonymous,
    },
    observer: options.observer,
    publish: (event) => {
      events.publish(event);
    },
  });
  return {
    handler: web.beside(redfish),
    accepts: (request) => web.accepts(request),
    upgrade: (request, socket, head) => web.upgrade(request, socket, head),
    drain: () => {
      web.drain();
      events.leave();
    },
    close: () => {
      web.close();
      events.close();
      access?.close();
    },
  };
}

/** What outlives the routes, which are made more than once. */
interface RouteState {
  readonly editor: AccountEditor;
  readonly streams: Streams;
  readonly revisionOf: (secret: string) => string;
}

/** All routes of the service. */
function redfishRoutes(
  context: RedfishContext & { readonly events: Hub },
  { editor, ...ofEvents }: RouteState,
): readonly Route[] {
  const routes: readonly Route[] = [
    ...serviceRootRoutes(context),
    ...accessRoutes(context, editor),
    ...systemRoutes(context),
    ...managerRoutes(context),
    ...chassisRoutes(context),
    ...mediaRoutes(context),
    ...logRoutes(context),
    ...certificatesRoutes(context),
    ...certificateServiceRoutes(context),
    ...updateRoutes(context),
    ...telemetryRoutes(context),
    ...eventRoutes({ context, ...ofEvents }),
    ...taskRoutes(context),
    ...registriesRoutes(),
    ...jsonSchemaRoutes(() => routes),
    privilegeRegistryRoute(),
  ];
  return routes;
}

import type { Express } from 'express';
import { anonymous, createAccess } from '../access/index.ts';
import { createEventHub } from '../events/hub.ts';
import type { RedfishOptions } from '../options.ts';
import { redfishRoutes } from '../routes.ts';
import { resourceApp } from './dispatcher.ts';

/** The Redfish service of one machine, to be attached to an HTTP server. */
export interface RedfishService {
  /** Answers all requests. */
  readonly handler: Express;
  /** Ends event streams with a reconnection time; requests are still answered. */
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
  const access = createAccess(options);
  const events = createEventHub(options);
  const routes = redfishRoutes({ options, sessions: access.sessions, logins: access.logins, events });
  const handler = resourceApp(routes, {
    gate: {
      authenticate: ({ authorization, 'x-auth-token': token }, address) =>
        access.authenticate({ authorization, 'x-auth-token': token }, address),
      anonymous,
    },
    observer: options.observer,
    publish: (event) => {
      events.publish(event);
    },
  });
  return {
    handler,
    drain: () => {
      events.leave();
    },
    close: () => {
      events.close();
      access.close();
    },
  };
}

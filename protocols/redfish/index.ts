export type { Caller } from './resource.ts';
export type { RedfishContext } from './context.ts';
export type {
  CertificateOwner,
  CertificateRequest,
  ListenerPolicy,
  ManagerNetwork,
  RedfishObserver,
  RedfishOptions,
  WebConsoleOptions,
} from './options.ts';
export type { Route } from './resource.ts';
export type { RedfishSettings, RedfishState, RedfishStateStore, StoredSession, StoredSubscription } from './state.ts';
export { createRedfishService, type RedfishService } from './service/redfish-service.ts';

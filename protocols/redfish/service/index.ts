export { createRedfishService, type RedfishService } from './redfish-service.ts';

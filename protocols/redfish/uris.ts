/** Where the resources stand that others link to. There is one of each, whose ID is `1`: clients know few other IDs. */
export const ROOT = '/redfish/v1';
export const SYSTEM = `${ROOT}/Systems/1`;
export const MANAGER = `${ROOT}/Managers/1`;
export const CHASSIS = `${ROOT}/Chassis/1`;
export const SESSION_SERVICE = `${ROOT}/SessionService`;
export const SESSIONS = `${SESSION_SERVICE}/Sessions`;
export const ACCOUNT_SERVICE = `${ROOT}/AccountService`;
export const ACCOUNTS = `${ACCOUNT_SERVICE}/Accounts`;
export const ROLES = `${ACCOUNT_SERVICE}/Roles`;
export const EVENT_SERVICE = `${ROOT}/EventService`;
export const TASK_SERVICE = `${ROOT}/TaskService`;
export const UPDATE_SERVICE = `${ROOT}/UpdateService`;
export const CERTIFICATE_SERVICE = `${ROOT}/CertificateService`;
export const REGISTRIES = `${ROOT}/Registries`;
export const JSON_SCHEMAS = `${ROOT}/JsonSchemas`;

/** The drives for virtual media stand under the System; the Manager links there. */
export const VIRTUAL_MEDIA = `${SYSTEM}/VirtualMedia`;

/** A reference as Redfish writes it. */
export function link(uri: string): { '@odata.id': string } {
  return { '@odata.id': uri };
}

import { isIPv4, isIPv6 } from 'node:net';
import { arrayOr, equal, isObject, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { ipErrors } from './service-addresses.ts';

const TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export const endpointSliceStrategy: Strategy = {
  judgesAll: true,
  setDefaults(slice) {
    for (const port of arrayOr(slice['ports']).filter(isObject)) {
      port['name'] ??= '';
      port['protocol'] ??= 'TCP';
    }
  },
  validate(slice, previous) {
    const errors = [...typeErrors(textOr(slice['addressType'])), ...portErrors(slice)];
    if (!equal(slice['endpoints'], previous?.['endpoints'])) errors.push(...endpointErrors(slice));
    if (previous !== undefined && slice['addressType'] !== previous['addressType'])
      errors.push(fieldErrors.invalid('addressType', slice['addressType'], 'field is immutable'));
    return errors;
  },
};

function typeErrors(type: string): FieldError[] {
  if (type === '') return [fieldErrors.required('addressType')];
  return TYPES.includes(type) ? [] : [fieldErrors.notSupported('addressType', type, TYPES)];
}

function portErrors(slice: ApiObject): FieldError[] {
  const ports = arrayOr(slice['ports']).filter(isObject);
  const names = ports.map((port) => textOr(port['name']));
  return ports.flatMap((port, index) => {
    const errors: FieldError[] = [];
    const name = textOr(port['name']);
    if (names.indexOf(name) < index) errors.push(fieldErrors.duplicate(`ports[${index}].name`, name));
    const protocol = textOr(port['protocol']);
    if (!PROTOCOLS.includes(protocol))
      errors.push(fieldErrors.notSupported(`ports[${index}].protocol`, protocol, PROTOCOLS));
    return errors;
  });
}

function endpointErrors(slice: ApiObject): FieldError[] {
  return arrayOr(slice['endpoints'])
    .filter(isObject)
    .flatMap((endpoint, index) => addressErrors(endpoint, `endpoints[${index}].addresses`, slice['addressType']));
}

function addressErrors(endpoint: JsonObject, field: string, type: unknown): FieldError[] {
  const addresses = arrayOr(endpoint['addresses']).map(textOr);
  if (addresses.length === 0) return [fieldErrors.required(field, 'must contain at least 1 address')];
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const isOfFamily = type === 'IPv4' ? isIPv4 : isIPv6;
  return addresses.flatMap((address, index) => {
    const errors = ipErrors(address, `${field}[${index}]`);
    if (errors.length > 0 || isOfFamily(address)) return errors;
    return [fieldErrors.invalid(field, address, `must be an ${type} address`)];
  });
}

import { isIP, isIPv4 } from 'node:net';
import { arrayOr, at, equal, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import { fieldErrors } from '../schema/index.ts';
import { invalid, type FieldError } from '../status.ts';
import type { AddressRange } from './address-range.ts';
import type { ServiceOptions } from './services.ts';

/** The cluster has one family of addresses. */
const FAMILY = 'IPv4';
const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const IP_RULE = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Decides a service's cluster IP and families, in place. Throws 422. */
export function allocateAddresses(
  service: ApiObject,
  previous: ApiObject | undefined,
  range: AddressRange,
  options: ServiceOptions,
): void {
  const spec = objectOr(service['spec']);
  const before = objectOr(previous?.['spec']);
  takeOver(spec, before);
  if (spec['type'] === 'ExternalName') return;
  const isUndirected = spec['clusterIP'] === 'None' && Object.keys(objectOr(spec['selector'])).length === 0;
  spec['ipFamilyPolicy'] ??= before['ipFamilyPolicy'] ?? (isUndirected ? 'RequireDualStack' : 'SingleStack');
  refuse(service, addressErrors(spec));
  setFamilies(service, spec, isUndirected);
  if (spec['clusterIP'] === 'None') return;
  const wanted = textOr(spec['clusterIP']);
  const kept = before['type'] === 'ExternalName' ? '' : textOr(before['clusterIP']);
  const address = wanted !== '' && wanted === kept ? wanted : pick(service, wanted, range, options);
  spec['clusterIP'] = address;
  spec['clusterIPs'] = [address];
}

/** What is wrong with the addresses and families of a service that has any. */
export function addressErrors(spec: JsonObject): FieldError[] {
  const addresses = arrayOr(spec['clusterIPs']).map(textOr);
  const families = arrayOr(spec['ipFamilies']).map(textOr);
  const errors: FieldError[] = [];
  const clusterIP = textOr(spec['clusterIP']);
  const first = addresses[0];
  const wrong = (message: string) => fieldErrors.invalid('spec.clusterIPs', addresses, message);
  if (clusterIP !== '' && first === undefined) errors.push(fieldErrors.required('spec.clusterIPs'));
  else if (clusterIP !== '' && first !== clusterIP) errors.push(wrong('first value must match `clusterIP`'));
  else if (clusterIP === '' && first !== undefined)
    errors.push(wrong('must be empty when `clusterIP` is not specified'));
  families.forEach((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) errors.push(fieldErrors.notSupported(field, family, FAMILIES));
    if (families.indexOf(family) < index) errors.push(fieldErrors.duplicate(field, family));
  });
  const policy = textOr(spec['ipFamilyPolicy']);
  if (policy !== '' && !POLICIES.includes(policy))
    errors.push(fieldErrors.notSupported('spec.ipFamilyPolicy', policy, POLICIES));
  const bad = addresses.flatMap((address, index) => wellFormed(address, index, addresses));
  if (bad.length > 0) return [...errors, ...bad];
  if (addresses.length > 2) errors.push(wrong('may only hold up to 2 values'));
  if (addresses.length > 1 && new Set(addresses.map(isIP)).size < 2)
    errors.push(wrong('may specify no more than one IP for each IP family'));
  return clusterIP === 'None' ? errors : [...errors, ...familyErrors(addresses, families)];
}

export function ipErrors(address: string, field: string): FieldError[] {
  return isIP(address) === 0 ? [fieldErrors.invalid(field, address, IP_RULE)] : [];
}

function wellFormed(address: string, index: number, all: string[]): FieldError[] {
  if (index > 0 || address !== 'None') return ipErrors(address, `spec.clusterIPs[${index}]`);
  return all.length > 1 ? [fieldErrors.invalid('spec.clusterIPs', all, "'None' must be the first and only value")] : [];
}

function familyErrors(addresses: string[], families: string[]): FieldError[] {
  return addresses.flatMap((address, index) => {
    const family = families[index];
    const actual = isIPv4(address) ? 'IPv4' : 'IPv6';
    if (family === undefined || family === actual) return [];
    const message = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [fieldErrors.invalid(`spec.clusterIPs[${index}]`, address, message)];
  });
}

/** What an update leaves out stays as it was; the one address and the list of all say the same. */
function takeOver(spec: JsonObject, before: JsonObject): void {
  syncAddresses(spec, before);
  const isKept = before['type'] !== undefined && before['type'] !== 'ExternalName' && spec['type'] !== 'ExternalName';
  if (isKept && textOr(spec['clusterIP']) === '' && arrayOr(spec['clusterIPs']).length === 0) {
    spec['clusterIP'] = before['clusterIP'];
    spec['clusterIPs'] = before['clusterIPs'];
  }
  // Of no address no family can be told.
  const isSame = spec['clusterIP'] === before['clusterIP'] && spec['clusterIP'] !== 'None';
  if (isKept && spec['ipFamilies'] === undefined && isSame) spec['ipFamilies'] = before['ipFamilies'];
}

function syncAddresses(spec: JsonObject, before: JsonObject): void {
  const one = textOr(spec['clusterIP']);
  const all = arrayOr(spec['clusterIPs']);
  const isUpdate = before['type'] !== undefined;
  if (one !== '' && all.length === 0) {
    spec['clusterIPs'] = [one];
    return;
  }
  if (!isUpdate) return;
  const hasChanged = { one: one !== textOr(before['clusterIP']), all: !equal(all, arrayOr(before['clusterIPs'])) };
  // Who knows of the one field alone means the other one, too.
  if (hasChanged.one && !hasChanged.all) {
    if (one === '') delete spec['clusterIPs'];
    else spec['clusterIPs'] = [one, ...all.slice(1)];
  } else if (one === '' && all.length > 0 && !hasChanged.all) {
    delete spec['clusterIPs'];
  }
}

function setFamilies(service: ApiObject, spec: JsonObject, isUndirected: boolean): void {
  const families = arrayOr(spec['ipFamilies']).map(textOr);
  const policy = spec['ipFamilyPolicy'];
  if (isUndirected) {
    if (families.length === 0) families.push(FAMILY);
    const other = families[0] === 'IPv4' ? 'IPv6' : 'IPv4';
    if (families.length < 2 && policy !== 'SingleStack') families.push(other);
    spec['ipFamilies'] = families;
    return;
  }
  const errors: FieldError[] = [];
  if (policy === 'RequireDualStack') {
    const message = 'this cluster is not configured for dual-stack services';
    errors.push(fieldErrors.invalid('spec.ipFamilyPolicy', policy, message));
  }
  families.forEach((family, index) => {
    if (family !== FAMILY)
      errors.push(fieldErrors.invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  });
  refuse(service, errors);
  spec['ipFamilies'] = families.length === 0 ? [FAMILY] : families;
}

function pick(service: ApiObject, wanted: string, range: AddressRange, { store, random }: ServiceOptions): string {
  const own = keyOf(service.metadata);
  const taken = new Set(
    [...store.collection('/services').values()]
      .filter(({ object }) => keyOf(object.metadata) !== own)
      .map(({ object }): Json => at(object, 'spec', 'clusterIP') ?? '')
      .map(textOr),
  );
  if (wanted === '') return range.pick(taken, random);
  const problem = range.problemWith(wanted, taken);
  if (problem === undefined) return wanted;
  const message = `failed to allocate IP ${wanted}: ${problem}`;
  refuse(service, [fieldErrors.invalid('spec.clusterIPs', [wanted], message)]);
  return wanted;
}

function refuse({ metadata }: ApiObject, errors: FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, metadata.name, errors);
}

import { arrayOr, at, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import { fieldErrors } from '../schema/index.ts';
import { invalid, type FieldError } from '../status.ts';
import type { AddressRange } from './address-range.ts';
import type { ServiceOptions } from './services.ts';

/** The cluster has one family of addresses. */
const FAMILY = 'IPv4';

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
  const isSelectorless = spec['clusterIP'] === 'None' && Object.keys(objectOr(spec['selector'])).length === 0;
  spec['ipFamilyPolicy'] ??= before['ipFamilyPolicy'] ?? (isSelectorless ? 'RequireDualStack' : 'SingleStack');
  setFamilies(service, spec, isSelectorless);
  const wanted = textOr(spec['clusterIP']);
  const kept = before['type'] === 'ExternalName' ? '' : textOr(before['clusterIP']);
  if (kept !== '' && wanted !== kept)
    refuse(service, fieldErrors.invalid('spec.clusterIPs[0]', spec['clusterIPs'], 'may not change once set'));
  if (wanted === 'None') return;
  const address = kept === '' ? pick(service, wanted, range, options) : kept;
  spec['clusterIP'] = address;
  spec['clusterIPs'] = [address];
}

/** Fields that an update leaves out stay as they were; `clusterIP` and `clusterIPs` follow each other. */
function takeOver(spec: JsonObject, before: JsonObject): void {
  const [first] = arrayOr(spec['clusterIPs']);
  const wasChanged = spec['clusterIP'] !== before['clusterIP'];
  if (textOr(spec['clusterIP']) !== '' && (first === undefined || wasChanged))
    spec['clusterIPs'] = [spec['clusterIP'] ?? ''];
  else if (before['type'] !== undefined && textOr(spec['clusterIP']) === '') delete spec['clusterIPs'];
  else if (first !== undefined) spec['clusterIP'] = first;
  const isKept = before['type'] !== undefined && before['type'] !== 'ExternalName' && spec['type'] !== 'ExternalName';
  if (!isKept) return;
  if (textOr(spec['clusterIP']) === '') {
    spec['clusterIP'] = before['clusterIP'];
    spec['clusterIPs'] = before['clusterIPs'];
  }
  spec['ipFamilies'] ??= before['ipFamilies'];
}

function setFamilies(service: ApiObject, spec: JsonObject, isSelectorless: boolean): void {
  const families = arrayOr(spec['ipFamilies']).map(textOr);
  const policy = spec['ipFamilyPolicy'];
  if (isSelectorless) {
    // Its endpoints are not the cluster's: they may have addresses of either family.
    if (families.length === 0) families.push(FAMILY);
    const other = families[0] === 'IPv4' ? 'IPv6' : 'IPv4';
    if (families.length < 2 && policy !== 'SingleStack') families.push(other);
    spec['ipFamilies'] = families;
    return;
  }
  if (policy === 'RequireDualStack') {
    const message = 'this cluster is not configured for dual-stack services';
    refuse(service, fieldErrors.invalid('spec.ipFamilyPolicy', policy, message));
  }
  families.forEach((family, index) => {
    if (family !== FAMILY)
      refuse(service, fieldErrors.invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  });
  spec['ipFamilies'] = [FAMILY];
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
  return refuse(
    service,
    fieldErrors.invalid('spec.clusterIPs', [wanted], `failed to allocate IP ${wanted}: ${problem}`),
  );
}

function refuse({ metadata }: ApiObject, error: FieldError): never {
  throw invalid({ group: '', kind: 'Service' }, metadata.name, [error]);
}

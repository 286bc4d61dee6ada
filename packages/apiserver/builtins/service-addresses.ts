import { arrayOr, at, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import { fieldErrors } from '../schema/index.ts';
import { invalid, type FieldError } from '../status.ts';
import type { ServiceOptions } from './services.ts';
import { isIPv4 } from 'node:net';

/** The cluster is single-stack. */
const FAMILY = 'IPv4';

/**
 * Sets the cluster IP and IP families of a Service.
 *
 * @throws StatusError 422
 */
export function allocateAddresses(
  service: ApiObject,
  previous: ApiObject | undefined,
  range: AddressRange,
  options: ServiceOptions,
): void {
  const spec = objectOr(service['spec']);
  const before = objectOr(previous?.['spec']);
  inheritFields(spec, before);
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

/** Keeps fields that an update omits, and synchronizes `clusterIP` and `clusterIPs`. */
function inheritFields(spec: JsonObject, before: JsonObject): void {
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
    // The endpoints of a headless Service without selector can have addresses of both families.
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

/** The allocatable addresses of an IPv4 CIDR: all but the first and the last one. */
export class AddressRange {
  readonly #first: number;
  readonly #size: number;

  /** @throws TypeError unless `cidr` is an IPv4 CIDR with at least four addresses */
  constructor(cidr: string) {
    const [address = '', length = ''] = cidr.split('/');
    const bits = Number(length);
    if (!isIPv4(address) || !/^\d+$/.test(length) || bits > 30)
      throw new TypeError(`${cidr} is not an IPv4 CIDR with at least four addresses`);
    this.#size = 2 ** (32 - bits);
    this.#first = Math.floor(toNumber(address) / this.#size) * this.#size;
  }

  /**
   * Picks a free address.
   *
   * @throws RangeError if the range is full
   */
  pick(taken: ReadonlySet<string>, random: () => number): string {
    const usable = this.#size - 2;
    const start = Math.floor(random() * usable);
    for (let step = 0; step < usable; step += 1) {
      const candidate = toText(this.#first + 1 + ((start + step) % usable));
      if (!taken.has(candidate)) return candidate;
    }
    throw new RangeError('no address of the service range is free');
  }

  /** Why an address cannot be allocated; undefined if it can. */
  problemWith(address: string, taken: ReadonlySet<string>): string | undefined {
    if (!isIPv4(address)) return 'the provided IP is not valid';
    const offset = toNumber(address) - this.#first;
    if (offset < 1 || offset > this.#size - 2) return 'the provided network does not match the current range';
    return taken.has(address) ? 'provided IP is already allocated' : undefined;
  }
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function toText(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

import type { Representation } from '../rest/index.ts';
import { StatusError } from '../status.ts';

/** How an answer is written. */
export type Format = 'json' | 'yaml';

export interface Negotiated {
  readonly format: Format;
  readonly representation: Representation;
}

const OBJECT: Representation = { kind: 'Object', version: 'v1' };
const MEDIA_TYPES = 'application/json, application/yaml';
const STREAM_TYPES = 'application/json;stream=watch';
const ROUTED = ['application/json', 'application/yaml', '*/*'];

/** What an Accept header asks for of a resource. Throws 406. */
export function negotiate(
  accept: string | undefined,
  { custom, watch }: { custom: boolean; watch: boolean },
): Negotiated {
  const clauses = parseAccept(accept);
  // The router of built-in kinds knows whole types and `*/*` alone.
  if (!custom && !clauses.some(({ type }) => ROUTED.includes(type)))
    throw notAcceptable(watch ? `${MEDIA_TYPES}, ${STREAM_TYPES}` : MEDIA_TYPES);
  for (const clause of clauses) {
    const format = formatOf(clause);
    const representation = format === undefined ? undefined : representationOf(clause);
    if (format === undefined || representation === undefined) continue;
    if (watch && format !== 'json') throw onlyAccepted(STREAM_TYPES);
    return { format, representation };
  }
  throw onlyAccepted(MEDIA_TYPES);
}

/** Sees to it that a document that is neither an object nor a list is not asked for as one. Throws 406. */
export function checkAcceptsDocument(accept: string | undefined): void {
  const isAccepted = parseAccept(accept).some(
    (clause) => formatOf(clause) !== undefined && !clause.parameters.has('as'),
  );
  if (!isAccepted) throw onlyAccepted(MEDIA_TYPES);
}

/** The same for a document that there is in JSON alone. */
export function checkAcceptsJson(accept: string | undefined): void {
  if (!acceptsJson(accept)) throw notAcceptable('application/json');
}

export function acceptsJson(accept: string | undefined): boolean {
  return parseAccept(accept).some((clause) => formatOf(clause) === 'json');
}

/** The format that is wanted most, of those that there are; JSON for errors where there is none. */
export function preferredFormat(accept: string | undefined): Format {
  for (const clause of parseAccept(accept)) {
    const format = formatOf(clause);
    if (format !== undefined) return format;
  }
  return 'json';
}

/** Whether aggregated discovery is asked for before plain discovery. */
export function asksForAggregatedDiscovery(accept: string | undefined): boolean {
  const known = parseAccept(accept).find(
    (clause) => formatOf(clause) !== undefined && (!clause.parameters.has('as') || isAggregated(clause)),
  );
  return known !== undefined && isAggregated(known);
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The clauses of an Accept header, the most wanted first. */
function parseAccept(accept: string | undefined): Clause[] {
  if (accept === undefined || accept.trim() === '') return [{ type: '*/*', parameters: new Map() }];
  return accept
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      return { type, parameters: new Map(parameters.map(nameAndValue)) };
    })
    .sort((a, b) => quality(b) - quality(a));
}

function nameAndValue(parameter: string): [string, string] {
  const [name = '', value = ''] = parameter.split('=');
  return [name, value];
}

function quality({ parameters }: Clause): number {
  return Number(parameters.get('q') ?? 1);
}

function formatOf({ type }: Clause): Format | undefined {
  if (type === 'application/yaml') return 'yaml';
  return ['application/json', 'application/*', '*/*'].includes(type) ? 'json' : undefined;
}

function representationOf({ parameters }: Clause): Representation | undefined {
  const kind = parameters.get('as');
  if (kind === undefined) return OBJECT;
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  return kind === 'Table' || kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList'
    ? { kind, version }
    : undefined;
}

function isAggregated({ type, parameters }: Clause): boolean {
  return (
    type === 'application/json' &&
    parameters.get('as') === 'APIGroupDiscoveryList' &&
    parameters.get('g') === 'apidiscovery.k8s.io' &&
    parameters.get('v') === 'v2'
  );
}

/** Of a kube-apiserver's handlers. */
function onlyAccepted(types: string): StatusError {
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${types}`);
}

/** Of a kube-apiserver's router. */
function notAcceptable(types: string): StatusError {
  return new StatusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${types}`, {});
}

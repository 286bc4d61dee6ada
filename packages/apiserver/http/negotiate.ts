import type { Representation } from '../rest/index.ts';
import { StatusError } from '../status.ts';

/** The serialization of an answer. */
export type Format = 'json' | 'yaml';

export interface Negotiated {
  readonly format: Format;
  readonly representation: Representation;
}

const REPRESENTATIONS: readonly Representation[] = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'];
const MEDIA_TYPES = 'application/json, application/yaml';
const STREAM_TYPES = 'application/json;stream=watch';

/**
 * Negotiates the format and representation of a resource by the Accept header.
 *
 * @throws StatusError 406
 */
export function negotiate(accept: string | undefined, { watch }: { watch: boolean }): Negotiated {
  for (const clause of parseAccept(accept)) {
    const format = formatOf(clause);
    const representation = format === undefined ? undefined : representationOf(clause);
    if (format === undefined || representation === undefined) continue;
    if (watch && format !== 'json') throw notAcceptable(STREAM_TYPES);
    return { format, representation };
  }
  throw notAcceptable(MEDIA_TYPES);
}

/** The supported format with the highest preference; JSON if none is supported, for errors. */
export function preferredFormat(accept: string | undefined): Format {
  for (const clause of parseAccept(accept)) {
    const format = formatOf(clause);
    if (format !== undefined) return format;
  }
  return 'json';
}

/** Whether the client prefers aggregated discovery. */
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

/** The clauses of an Accept header by descending quality. */
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
  if (kind === undefined) return 'Object';
  if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  return REPRESENTATIONS.find((known) => known === kind);
}

function isAggregated({ type, parameters }: Clause): boolean {
  return (
    type === 'application/json' &&
    parameters.get('as') === 'APIGroupDiscoveryList' &&
    parameters.get('g') === 'apidiscovery.k8s.io' &&
    parameters.get('v') === 'v2'
  );
}

function notAcceptable(types: string): StatusError {
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${types}`);
}

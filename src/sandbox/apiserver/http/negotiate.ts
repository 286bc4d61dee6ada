import { StatusError } from '../status.ts';

export type Representation = 'object' | 'table' | 'metadata';

/** The first representation in an Accept header that this server has. Throws 406. */
export function negotiate(accept: string | undefined): Representation {
  if (accept === undefined || accept.trim() === '') return 'object';
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const values = new Map(parameters.map((parameter) => parameter.split('=') as [string, string]));
    const as = values.get('as');
    if (as === undefined) return 'object';
    if (values.get('g') !== 'meta.k8s.io' || values.get('v') !== 'v1') continue;
    if (as === 'Table') return 'table';
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return 'metadata';
  }
  throw new StatusError(406, 'NotAcceptable', '406: Not Acceptable\n\nAvailable representations: application/json', {});
}

import { isDeepStrictEqual } from 'node:util';
import type { ClaimSpec, DataVolume, DataVolumeSource, DataVolumeSpec } from '../objects.ts';
import { bytesOf } from '../quantity.ts';

/** One thing wrong with an object (metav1.StatusCause). */
export interface Cause {
  reason: 'FieldValueInvalid' | 'FieldValueDuplicate';
  message: string;
  field: string;
}

/** What CDI refuses in a DataVolume, in its words and its order: it names the first that it finds (`datavolume-validate.go`). */
export function validateDataVolume(spec: DataVolumeSpec): Cause | undefined {
  return (
    validateStorage(spec) ??
    validateSourceCount(spec) ??
    (spec.source === undefined ? undefined : validateSource(spec.source, spec))
  );
}

/** A DataVolume's spec cannot be changed. */
export function validateUpdate(next: DataVolume, old: DataVolume): Cause | undefined {
  if (isDeepStrictEqual(next.spec, old.spec)) return undefined;
  return { reason: 'FieldValueDuplicate', message: 'Cannot update DataVolume Spec', field: 'DataVolume.Spec' };
}

/** @param owner kind of the owner of a claim that has the DataVolume's name; undefined: it has none */
export function validateClaim(namespace: string, name: string, owner: string | undefined): Cause | undefined {
  if (owner === 'DataVolume') return undefined;
  const message = `Destination PVC ${namespace}/${name} already exists`;
  return { reason: 'FieldValueDuplicate', message, field: 'DataVolume.Name' };
}

function validateStorage(spec: DataVolumeSpec): Cause | undefined {
  const { pvc, storage } = spec;
  if (pvc !== undefined && storage !== undefined) {
    const message = 'Duplicate storage definition, both target storage and target pvc defined';
    return invalid('spec.PVC.Storage', message);
  }
  if (storage !== undefined) return validateSize('Storage', storage, isClone(spec)) ?? validateModes(storage);
  if (pvc === undefined) return invalid('spec.PVC', 'Missing Data volume PVC');
  return validateSize('PVC', pvc, false) ?? validateOneMode(pvc);
}

/** A clone's size is its source's. */
function isClone({ source, sourceRef }: DataVolumeSpec): boolean {
  return sourceRef !== undefined || source?.pvc !== undefined || source?.snapshot !== undefined;
}

function validateSize(name: 'PVC' | 'Storage', { resources }: ClaimSpec, optional: boolean): Cause | undefined {
  const size = resources?.requests?.['storage'];
  const field = `spec.${name}.resources.requests.size`;
  if (size === undefined) return optional ? undefined : invalid(field, `${name} size is missing`);
  if ((bytesOf(size) ?? 0) > 0) return undefined;
  return invalid(field, `${name} size can't be equal or less than zero`);
}

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'];

function validateOneMode(pvc: ClaimSpec): Cause | undefined {
  const { accessModes = [] } = pvc;
  const field = 'spec.PVC.accessModes';
  if (accessModes.length === 0) return invalid(field, 'Required value: at least 1 access mode is required');
  return accessModes.length > 1 ? invalid(field, 'PVC multiple accessModes') : validateModes(pvc);
}

function validateModes({ accessModes = [] }: ClaimSpec): Cause | undefined {
  if (accessModes.every((mode) => ACCESS_MODES.includes(mode))) return undefined;
  const supported = ACCESS_MODES.map((mode) => `"${mode}"`).join(', ');
  return invalid(
    'spec.PVC.accessModes',
    `Unsupported value: "${accessModes[0] ?? ''}": supported values: ${supported}`,
  );
}

function validateSourceCount({ source, sourceRef, pvc, storage }: DataVolumeSpec): Cause | undefined {
  const target = pvc ?? storage;
  const external = target?.dataSource !== undefined || target?.dataSourceRef !== undefined;
  if (external) {
    if (source === undefined && sourceRef === undefined) return undefined;
    return invalid('spec.source', 'External population is incompatible with Source and SourceRef');
  }
  if ((source === undefined) === (sourceRef === undefined)) {
    const message = 'Data volume should have either Source or SourceRef, or be externally populated';
    return invalid('spec.source', message);
  }
  if (source === undefined) return undefined;
  const count = Object.keys(source).length;
  if (count === 0) return invalid('spec.source', 'Missing Data volume source');
  return count > 1 ? invalid('spec.source', 'Multiple Data volume sources') : undefined;
}

/** The sources that name a URL, as their fields' paths call them. */
const WITH_URL = { http: 'HTTP', s3: 'S3', gcs: 'GCS', imageio: 'ImageIO', vddk: 'VDDK' } as const;

function validateSource(source: DataVolumeSource, { contentType }: DataVolumeSpec): Cause | undefined {
  for (const [key, name] of Object.entries(WITH_URL)) {
    // The keys of WITH_URL are those of the sources that have a URL.
    const named = source[key as keyof typeof WITH_URL];
    if (named === undefined) continue;
    const problem = urlProblem(named.url ?? '');
    if (problem !== undefined) return invalid(`spec.source.${name}.url`, `spec.source ${problem}`);
  }
  if (source.blank !== undefined && contentType === 'archive') {
    return invalid('spec.contentType', 'SourceType cannot be blank and the contentType be archive');
  }
  return undefined;
}

/** Go's url.ParseRequestURI takes absolute URLs and rooted paths. */
function urlProblem(url: string): string | undefined {
  if (url === '') return 'source URL is empty';
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined && !url.startsWith('/')) return `Invalid source URL: ${url}`;
  if (scheme !== 'http' && scheme !== 'https' && scheme !== 'gs') return `Invalid source URL scheme: ${url}`;
  return scheme !== 'gs' && !URL.canParse(url) ? `Invalid source URL: ${url}` : undefined;
}

function invalid(field: string, message: string): Cause {
  return { reason: 'FieldValueInvalid', message, field };
}

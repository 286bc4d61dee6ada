import { describe, expect, it } from 'vitest';
import type { DataVolumeSpec } from '../objects.ts';
import { aDataVolume } from '../testing/builders.ts';
import { validateClaim, validateDataVolume, validateUpdate } from './validate.ts';

const storage = { resources: { requests: { storage: '1Gi' } } };

describe('a DataVolume', () => {
  it.each<[string, DataVolumeSpec]>([
    ['with storage', {}],
    ['with a claim', { pvc: { ...storage, accessModes: ['ReadWriteOnce'] } }],
    ['cloned, without a size', { storage: {}, source: { pvc: { namespace: 'a', name: 'b' } } }],
    ['of a DataSource', { source: undefined, sourceRef: { kind: 'DataSource', name: 'fedora' } }],
    ['populated from elsewhere', { source: undefined, storage: { ...storage, dataSourceRef: { name: 'x' } } }],
    ['of Google’s cloud', { source: { gcs: { url: 'gs://bucket/a' } } }],
  ])('%s is allowed', (_what, spec) => {
    expect(validateDataVolume(aDataVolume(spec).spec)).toBeUndefined();
  });

  it.each<[string, DataVolumeSpec, string]>([
    ['external and not', { storage: { ...storage, dataSource: {} } }, 'External population is incompatible'],
    ['two kinds of source', { sourceRef: { kind: 'DataSource' } }, 'should have either Source or SourceRef'],
    ['no URL at all', { source: { s3: {} } }, 'source URL is empty'],
    ['a path for a URL', { source: { http: { url: '/a.iso' } } }, 'Invalid source URL scheme: /a.iso'],
    ['a broken URL', { source: { http: { url: 'http://[' } } }, 'Invalid source URL: http://['],
    [
      'no size that is one',
      { storage: { resources: { requests: { storage: 'much' } } } },
      "can't be equal or less than zero",
    ],
  ])('with %s is not', (_what, spec, message) => {
    expect(validateDataVolume(aDataVolume(spec).spec)?.message).toContain(message);
  });

  it('keeps its spec', () => {
    expect(validateUpdate(aDataVolume(), aDataVolume())).toBeUndefined();
    expect(validateUpdate(aDataVolume({ contentType: 'archive' }), aDataVolume())?.reason).toBe('FieldValueDuplicate');
  });

  it('may have a claim already where that belongs to a DataVolume', () => {
    expect(validateClaim('vms', 'iso', 'DataVolume')).toBeUndefined();
    expect(validateClaim('vms', 'iso', undefined)?.message).toBe('Destination PVC vms/iso already exists');
  });
});

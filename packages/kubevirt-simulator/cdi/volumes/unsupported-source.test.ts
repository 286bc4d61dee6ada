import { expect, it } from 'vitest';
import type { DataVolumeSpec } from '../objects.ts';
import { aDataVolume } from '../testing/builders.ts';
import { unsupportedSource } from './unsupported-source.ts';

it.each<[DataVolumeSpec, string | undefined]>([
  [{}, undefined],
  [{ source: { blank: {} } }, undefined],
  [{ source: { registry: {} } }, 'spec.source.registry'],
  [{ source: { pvc: { namespace: 'a', name: 'b' } } }, 'spec.source.pvc'],
  [{ contentType: 'archive' }, 'spec.contentType archive'],
  [{ source: undefined, sourceRef: { kind: 'DataSource', name: 'fedora' } }, 'spec.sourceRef'],
  [{ source: undefined }, 'a DataVolume that is populated from elsewhere'],
])('%j needs %s of the stand-in', (spec, expected) => {
  expect(unsupportedSource(aDataVolume(spec))).toBe(expected);
});

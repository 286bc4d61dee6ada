import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import type { ApiObject, ManagedFieldsEntry } from '../objects.ts';
import { ScaleFields } from './scale-fields.ts';

const entry = (manager: string, fieldsV1: JsonObject, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});
const REPLICAS = { 'f:spec': { 'f:replicas': {} } };
const object = (managedFields: ManagedFieldsEntry[]): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', managedFields },
});
const owner = entry('owner', { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } });
const other = entry('other', { 'f:spec': { 'f:selector': {} } });
const fields = new ScaleFields(object([owner, other]), '.spec.replicas');

describe('who owns the replicas', () => {
  it('is all that the scale shows', () => {
    expect(fields.toScale()).toEqual([entry('owner', REPLICAS, { apiVersion: 'autoscaling/v1' })]);
  });

  it('is found where the object has them', () => {
    const custom = new ScaleFields(object([entry('owner', { 'f:spec': { 'f:size': {} } })]), '.spec.size');
    expect(custom.toScale()).toEqual([entry('owner', REPLICAS, { apiVersion: 'autoscaling/v1' })]);
  });

  it('loses them alone when another takes them', () => {
    const scaler = entry('scaler', REPLICAS, { apiVersion: 'autoscaling/v1', subresource: 'scale' });
    const { time: _none, ...added } = entry('scaler', REPLICAS, { subresource: 'scale' });
    expect(fields.toParent([scaler])).toEqual([added, other, entry('owner', { 'f:spec': { 'f:paused': {} } })]);
  });

  it('is nobody when none is left', () => {
    expect(fields.toParent([])).toEqual([other, entry('owner', { 'f:spec': { 'f:paused': {} } })]);
  });
});

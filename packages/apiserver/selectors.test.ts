import { describe, expect, it } from 'vitest';
import { parseLabelSelector, parseFieldSelector } from './selectors.ts';
import type { ApiObject } from './objects.ts';
import type { Resource } from './resources/index.ts';

const labels = { app: 'web', tier: 'front', size: '5' };

describe('a label selector', () => {
  it.each([
    '',
    'app=web',
    'app==web',
    'app!=db',
    'app in (db, web)',
    'app notin (db)',
    'missing notin (a)',
    'app',
    '!missing',
    'size>4',
    'size<6',
    'app=web,tier=front',
    'missing!=x',
  ])('%j matches', (text) => {
    expect(parseLabelSelector(text)(labels)).toBe(true);
  });

  it.each([
    'app=db',
    'app!=web',
    'app in (db)',
    'app notin (web,db)',
    'missing',
    '!app',
    'size>5',
    'app>1',
    'app=web,tier=back',
    'app=',
  ])('%j does not match', (text) => {
    expect(parseLabelSelector(text)(labels)).toBe(false);
  });

  it.each(['a==,,b', 'a in (b', 'a in b', 'a!', '=b', 'a=b c', 'size>x', 'a b'])('%j is refused with 400', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 400 }) as Error);
  });

  it('treats an object without labels as one with empty labels', () => {
    expect(parseLabelSelector('!a')(undefined)).toBe(true);
    expect(parseLabelSelector('constructor')(undefined)).toBe(false);
  });
});

const resource = (more: Partial<Resource>) =>
  ({ namespaced: true, custom: false, selectableFields: {}, ...more }) as Resource; // selectors read only these fields
const pods = resource({ selectableFields: { 'status.phase': ({ kind }) => kind } });
const pod: ApiObject = { apiVersion: 'v1', kind: 'Running', metadata: { name: 'a', namespace: 'ns' } };

describe('a field selector', () => {
  it.each(['', ',,', 'metadata.name=a', 'metadata.name!=b', 'metadata.namespace==ns,status.phase=Running'])(
    '%j matches',
    (text) => {
      expect(parseFieldSelector(text, pods)(pod)).toBe(true);
    },
  );

  it.each(['metadata.name=b', 'status.phase!=Running', 'metadata.namespace='])('%j does not match', (text) => {
    expect(parseFieldSelector(text, pods)(pod)).toBe(false);
  });

  it.each([
    ['b=1', pods],
    ['metadata.name', pods],
    ['metadata.name=a\\x', pods],
    ['metadata.name=a=b', pods],
    ['metadata.namespace=x', resource({ namespaced: false, custom: true })],
  ])('%j is refused', (text, kind) => {
    expect(() => parseFieldSelector(text, kind)).toThrow(expect.objectContaining({ code: 400 }) as Error);
  });
});

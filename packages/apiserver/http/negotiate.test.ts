import { describe, expect, it } from 'vitest';
import { asksForAggregatedDiscovery, negotiate, preferredFormat } from './negotiate.ts';

const BUILT_IN = { custom: false, watch: false };
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const refusal = (message: string) => expect.objectContaining({ code: 406, message }) as Error;

describe('the representation', () => {
  it.each([
    [undefined, 'Object', 'v1'],
    ['*/*', 'Object', 'v1'],
    ['application/json', 'Object', 'v1'],
    ['application/vnd.kubernetes.protobuf,application/json', 'Object', 'v1'],
    [`${TABLE},application/json`, 'Table', 'v1'],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'Table', 'v1beta1'],
    ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'Object', 'v1'],
    [`${TABLE};q=0.5,application/json`, 'Object', 'v1'],
    ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'PartialObjectMetadataList', 'v1'],
  ])('for %s is %s of %s', (accept, kind, version) => {
    expect(negotiate(accept, BUILT_IN).representation).toEqual({ kind, version });
  });

  it('is in the format that is wanted most', () => {
    expect(negotiate('application/json;q=0.5,application/yaml', BUILT_IN).format).toBe('yaml');
    expect(preferredFormat('text/html,application/yaml')).toBe('yaml');
    expect(preferredFormat('text/html')).toBe('json');
  });

  it('that we do not have is refused with 406', () => {
    const routed = '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml';
    const handled = 'only the following media types are accepted: application/json, application/yaml';
    expect(() => negotiate('text/html', BUILT_IN)).toThrow(refusal(routed));
    expect(() => negotiate('text/html', { custom: true, watch: false })).toThrow(refusal(handled));
    expect(() => negotiate('application/json;as=Nonsense', BUILT_IN)).toThrow(refusal(handled));
  });

  it('of a watch is JSON', () => {
    expect(() => negotiate('application/yaml', { custom: false, watch: true })).toThrow(
      refusal('only the following media types are accepted: application/json;stream=watch'),
    );
  });
});

describe('aggregated discovery', () => {
  it.each([
    [AGGREGATED, true],
    [`${AGGREGATED},application/json`, true],
    [`application/json,${AGGREGATED}`, false],
    ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json', false],
    [undefined, false],
  ])('asked for by %s: %s', (accept, expected) => {
    expect(asksForAggregatedDiscovery(accept)).toBe(expected);
  });
});

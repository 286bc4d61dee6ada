import { describe, expect, it } from 'vitest';
import { asksForAggregatedDiscovery, negotiate, preferredFormat } from './negotiate.ts';

const OBJECT = { watch: false };
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const refusal = (message: string) => expect.objectContaining({ code: 406, message }) as Error;

describe('the representation', () => {
  it.each([
    [undefined, 'Object'],
    ['*/*', 'Object'],
    ['application/json', 'Object'],
    ['application/vnd.kubernetes.protobuf,application/json', 'Object'],
    [`${TABLE},application/json`, 'Table'],
    ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'Object'],
    [`${TABLE};q=0.5,application/json`, 'Object'],
    ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'PartialObjectMetadataList'],
  ])('for %s is %s', (accept, kind) => {
    expect(negotiate(accept, OBJECT).representation).toBe(kind);
  });

  it('has the format with the highest quality', () => {
    expect(negotiate('application/json;q=0.5,application/yaml', OBJECT).format).toBe('yaml');
    expect(preferredFormat('text/html,application/yaml')).toBe('yaml');
    expect(preferredFormat('text/html')).toBe('json');
  });

  it('is refused with 406 if no media type is supported', () => {
    const refused = refusal('only the following media types are accepted: application/json, application/yaml');
    expect(() => negotiate('text/html', OBJECT)).toThrow(refused);
    expect(() => negotiate('application/json;as=Nonsense', OBJECT)).toThrow(refused);
  });

  it('is always JSON for a watch', () => {
    expect(() => negotiate('application/yaml', { watch: true })).toThrow(
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
  ])('requested by %s: %s', (accept, expected) => {
    expect(asksForAggregatedDiscovery(accept)).toBe(expected);
  });
});

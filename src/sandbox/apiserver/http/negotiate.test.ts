import { describe, expect, it } from 'vitest';
import { negotiate } from './negotiate.ts';

describe('the representation', () => {
  it.each([
    [undefined, 'object'],
    ['*/*', 'object'],
    ['application/json', 'object'],
    ['application/vnd.kubernetes.protobuf,application/json', 'object'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'table'],
    ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'object'],
    ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'metadata'],
  ])('for %s is %s', (accept, representation) => {
    expect(negotiate(accept)).toBe(representation);
  });

  it('that we do not have is refused with 406', () => {
    expect(() => negotiate('text/html')).toThrow(expect.objectContaining({ code: 406 }) as Error);
  });
});

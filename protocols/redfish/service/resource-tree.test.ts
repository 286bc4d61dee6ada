import { describe, expect, it } from 'vitest';
import type { Route } from '../resource.ts';
import { ResourceTree } from './resource-tree.ts';

/** A route whose resource shows its path parameters. */
function route(path: string): Route {
  return { path, find: (parameters) => ({ type: path, read: () => ({ ...parameters }) }) };
}

describe('ResourceTree', () => {
  const tree = new ResourceTree(() => [
    route('/v1'),
    route('/v1/Things/{thing}/Parts/{part}'),
    route('/v1/Things/{thing}'),
    route('/v1/Things/special'),
  ]);

  it.each([
    ['/v1', {}],
    ['/v1/Things/a', { thing: 'a' }],
    ['/v1/Things/special', {}],
    ['/v1/Things/a%2Fb/Parts/%C3%A9', { thing: 'a/b', part: 'é' }],
  ])('finds %s', (uri, parameters) => {
    expect(tree.find(uri)?.resource.read()).toEqual(parameters);
    expect(tree.find(uri)?.uri).toBe(uri);
  });

  it('returns one URI for all spellings', () => {
    expect(tree.find('/v1/Things/%61%2fb/Parts/%31')?.uri).toBe('/v1/Things/a%2Fb/Parts/1');
  });

  it.each(['', '/', '/v2', '/v1/Things', '/v1/Things/', '/v1/Things/%', '/v1/Things/a/Parts', '/v1/Things/a/b/c/d'])(
    'finds nothing at %s',
    (uri) => {
      expect(tree.find(uri)).toBeUndefined();
    },
  );

  it('finds nothing if the route returns undefined', () => {
    expect(new ResourceTree(() => [{ path: '/v1', find: () => undefined }]).find('/v1')).toBeUndefined();
  });

  it('refuses two routes for one path', () => {
    expect(() => new ResourceTree(() => [route('/a/{x}'), route('/a/{y}')]).routes).toThrow(
      'two routes have the path /a/{y}',
    );
  });
});

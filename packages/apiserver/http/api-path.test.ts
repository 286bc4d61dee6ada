import { describe, expect, it } from 'vitest';
import { parseApiPath } from './api-path.ts';

describe('an API path', () => {
  it.each([
    ['/api/v1/pods', ['', 'v1', undefined, 'pods', undefined, undefined]],
    ['/api/v1/namespaces', ['', 'v1', undefined, 'namespaces', undefined, undefined]],
    ['/api/v1/namespaces/x', ['', 'v1', undefined, 'namespaces', 'x', undefined]],
    ['/api/v1/namespaces/x/status', ['', 'v1', undefined, 'namespaces', 'x', 'status']],
    ['/api/v1/namespaces/x/pods', ['', 'v1', 'x', 'pods', undefined, undefined]],
    ['/api/v1/namespaces/x/pods/p/log', ['', 'v1', 'x', 'pods', 'p', 'log']],
    ['/apis/apps/v1/namespaces/x/deployments/d', ['apps', 'v1', 'x', 'deployments', 'd', undefined]],
    ['/apis/g/v1/namespaces/x/status', ['g', 'v1', 'x', 'status', undefined, undefined]],
    ['/apis/g/v1/things/a%2Fb', ['g', 'v1', undefined, 'things', 'a/b', undefined]],
  ])('%s is parsed', (path, parts) => {
    const parsed = parseApiPath(path);
    expect([
      parsed?.group,
      parsed?.version,
      parsed?.namespace,
      parsed?.plural,
      parsed?.name,
      parsed?.subresource,
    ]).toEqual(parts);
  });

  it.each(['/', '/api', '/api/v1', '/apis/apps', '/apis/apps/v1', '/healthz', '/api/v1/pods/%zz'])(
    '%s is not the path of a resource',
    (path) => {
      expect(parseApiPath(path)).toBeUndefined();
    },
  );
});

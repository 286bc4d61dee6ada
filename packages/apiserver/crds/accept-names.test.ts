import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../objects.ts';
import { acceptNames } from './accept-names.ts';

const NOW = '2026-01-01T00:00:00Z';
const definition = (names: object, status: object = {}): ApiObject =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'a' },
    spec: { group: 'g', names },
    status,
  }) as unknown as ApiObject;
const taken = definition(
  {},
  { acceptedNames: { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList', shortNames: ['x'] } },
);
const reasons = (status: ReturnType<typeof acceptNames>) =>
  (status['conditions'] as { type: string; status: string; reason: string }[]).map(
    (condition) => `${condition.type} ${condition.status} ${condition.reason}`,
  );

describe('names of a definition', () => {
  it('are accepted where nothing else has them', () => {
    const names = { plural: 'bs', singular: 'b', kind: 'B', listKind: 'BList', shortNames: ['y'], categories: ['all'] };
    const status = acceptNames(definition(names), [taken], NOW);
    expect(status['acceptedNames']).toEqual(names);
    expect(reasons(status)).toEqual(['NamesAccepted True NoConflicts', 'Established False Installing']);
  });

  it.each([
    [{ singular: 'as' }, 'SingularConflict'],
    [{ kind: 'A' }, 'KindConflict'],
    [{ listKind: 'A' }, 'ListKindConflict'],
    [{ shortNames: ['z', 'x'] }, 'ShortNamesConflict'],
  ])('are not accepted where something else has them: %j', (own, reason) => {
    const names = { plural: 'bs', singular: 'b', kind: 'B', listKind: 'BList', ...own };
    const status = acceptNames(definition(names), [taken], NOW);
    expect(reasons(status)).toEqual([`NamesAccepted False ${reason}`, 'Established False NotAccepted']);
  });

  it('that are its own stay accepted', () => {
    const names = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList', shortNames: ['x'] };
    const own = definition(names, { acceptedNames: names });
    expect(reasons(acceptNames(own, [own], NOW))[0]).toBe('NamesAccepted True NoConflicts');
  });
});

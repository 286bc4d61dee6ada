import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { duration } from './column.ts';
import { builtinColumns } from './builtin-columns.ts';
import { customColumns, compileJsonPath } from './custom-columns.ts';

const now = Date.UTC(2026, 0, 2);
const row = (columns: ReturnType<typeof builtinColumns>, object: object) =>
  Object.fromEntries(columns.map(({ name, cell }) => [name, cell(object as ApiObject, now)]));
const metadata = { name: 'x', creationTimestamp: '2026-01-01T23:59:00Z' };

describe('a duration', () => {
  it.each([
    [-5_000, '<invalid>'],
    [0, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [125_000, '2m5s'],
    [10 * 60_000, '10m'],
    [3 * 3600_000, '3h'],
    [7.5 * 3600_000, '7h30m'],
    [47 * 3600_000, '47h'],
    [49 * 3600_000, '2d1h'],
    [30 * 86400_000, '30d'],
    [3 * 365 * 86400_000, '3y'],
  ])('of %i ms is %s', (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });
});

describe('the JSONPath of a column', () => {
  const object: Json = {
    spec: { a: [1, 2], 'x.y/z': 'q' },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Other', status: 'False' },
      ],
    },
  };

  it.each<[string, Json[]]>([
    ['.spec.a[1]', [2]],
    ['.spec.a[*]', [1, 2]],
    ['.spec.a[-1]', [2]],
    ['.spec.x\\.y/z', ['q']],
    ["['spec']['x\\.y/z']", ['q']],
    ['.spec.a[?(@==2)]', [2]],
    ['.status.conditions[?(@.status!="True")].type', ['Other']],
    ['.status.conditions[?(@.status)].type', ['Ready', 'Other']],
    ['.status.conditions[?(@.status==True)].type', []],
    ['.spec.a[9]', []],
    ['.status.conditions.type[0]', []],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='None')].status", []],
    ['.missing.deep', []],
  ])('%s finds %j', (path, found) => {
    expect(compileJsonPath(path)?.(object)).toEqual(found);
  });

  it.each(['.a[x]', '.a[0:2]', '.a..b', '.a["b"]', '.a[?(@.b=="c"', '.a[?(@.b=="c" && @.d=="e")]', '.a....b', '.a{'])(
    'is not supported: %s',
    (path) => {
      expect(compileJsonPath(path)).toBeUndefined();
    },
  );
});

describe('a row of kubectl get', () => {
  it('for a Pod has the reason of a waiting container as its status', () => {
    const pod = {
      metadata,
      spec: { containers: [{}, {}], nodeName: 'n' },
      status: {
        phase: 'Running',
        podIPs: [{ ip: '127.64.0.1' }],
        containerStatuses: [
          {
            ready: true,
            restartCount: 1,
            state: { running: {} },
            lastState: { terminated: { finishedAt: '2026-01-01T23:58:00Z' } },
          },
          { ready: false, restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } } },
        ],
      },
    };
    expect(row(builtinColumns('/pods'), pod)).toMatchObject({
      Name: 'x',
      Ready: '1/2',
      Status: 'CrashLoopBackOff',
      Restarts: '3 (2m ago)',
      Age: '60s',
      IP: '127.64.0.1',
      Node: 'n',
    });
    expect(
      row(builtinColumns('/pods'), { ...pod, metadata: { ...metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } })[
        'Status'
      ],
    ).toBe('Terminating');
  });

  it('for a custom resource has the columns of its definition', () => {
    const columns = customColumns([
      { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
      { name: 'Count', type: 'integer', jsonPath: '.status.count' },
      { name: 'Seen', type: 'date', jsonPath: '.status.seen', priority: 1 },
    ]);
    expect(row(columns, { metadata, status: { phase: 'Ready', count: 'no', seen: '2026-01-01T23:00:00Z' } })).toEqual({
      Name: 'x',
      Phase: 'Ready',
      Count: null,
      Seen: '60m',
    });
    expect(row(customColumns(undefined), { metadata })).toEqual({ Name: 'x', Age: '60s' });
  });
});

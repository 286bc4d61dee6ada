import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../version.ts';
import { evaluate } from './evaluate.ts';
import { objectOf } from './problem.ts';
import { aBmc, aCluster, aRollout, bmcAgent, condition } from './testing/builders.ts';
import { bmcIs, pods, SITUATIONS } from './testing/situations.ts';

describe('the status of a broken cluster', () => {
  it('is about a cluster that is otherwise well', () => {
    expect(evaluate(aCluster()).problems).toEqual([]);
  });

  it.each(SITUATIONS)('if %s', (_what, change, object, sentence, todo) => {
    const { problems, healthy } = evaluate(aCluster(change));
    expect(healthy).toBe(false);
    const heads = problems.map((problem) => `${objectOf(problem)}: ${problem.reason}`);
    expect(heads).toContain(object);
    const found = problems[heads.indexOf(object)];
    expect(found?.what).toBe(sentence);
    expect(found?.todo ?? '').toContain(todo);
    // What the sentence of a condition does not say, the problem has to say.
    expect(todo === '' || found?.todo !== undefined).toBe(true);
  });

  it('does not call a roll-out broken that goes on, is paused, or leaves out an agent that is held', () => {
    for (const phase of ['Canary', 'Updating', 'Paused'] as const)
      for (const reason of ['Updating', 'AgentHeld']) {
        const bmcs = [aBmc('web', { conditions: [condition('UpToDate', 'False', reason)] })];
        expect(evaluate(aCluster({ bmcs, rollouts: [aRollout({ phase, wave: 1, updated: 1 })] })).problems).toEqual([]);
      }
  });

  it('names no object that is well', () => {
    const other = { bmcs: [aBmc(), aBmc('db')], pods: [...pods({}).pods, bmcAgent({}, 'db')] };
    const change = {
      ...other,
      bmcs: [
        ...bmcIs('SecretAvailable', 'False', 'SecretNotFound').bmcs,
        aBmc('db', { conditions: [condition('ServiceReady', 'False', 'ServiceNotReady')] }),
      ],
    };
    expect(evaluate(aCluster(change)).problems.map(({ name, reason }) => `${name ?? ''} ${reason}`)).toEqual([
      'db ServiceNotReady',
      'web SecretNotFound',
    ]);
  });

  it('has each reason in docs/troubleshooting.md', () => {
    const page = readFileSync(join(packageRoot(), 'docs', 'troubleshooting.md'), 'utf8');
    const reasons = new Set(SITUATIONS.map(([, , object]) => object.split(': ').at(-1) ?? ''));
    expect([...reasons].filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
  });
});

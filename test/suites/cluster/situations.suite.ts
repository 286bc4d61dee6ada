import { beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../../cli/status/evaluate.ts';
import { loadInputs, type Inputs } from '../../../cli/status/inputs.ts';
import { objectOf } from '../../../cli/status/problem.ts';
import { aBmc, aCluster, aged } from '../../../cli/status/testing/builders.ts';
import { SITUATIONS } from '../../../cli/status/testing/situations.ts';
import { cluster } from '../../harness/index.ts';
import { MadeUpCluster } from './made-up-cluster.ts';

const c = await cluster();
const madeUp = await MadeUpCluster.in(c);
const { machines } = madeUp;

/** Not beside the managers of other tests; and what needs a pod that should have ended minutes ago. */
const NOT_HERE = ['no manager is installed', 'the node of the agent is lost'];
/** Those that objects make. */
const made = SITUATIONS.filter(
  ([what, { webhooks = [], unread, absent }]) =>
    !NOT_HERE.includes(what) && webhooks.length === 0 && unread === undefined && absent === undefined,
);

describe('the status of a cluster with broken objects', () => {
  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt'] });
  });

  it('is tested with at least 20 situations', () => {
    expect(made.length).toBeGreaterThanOrEqual(20);
  });

  it.each(made)('says so if %s', async (_what, change, object, sentence, todo) => {
    await madeUp.become(aCluster(change));
    const { problems, healthy } = evaluate(aged(await loadInputs(c.client, { namespace: machines })));
    expect(healthy).toBe(false);
    const found = problems.find((problem) => `${objectOf(problem)}: ${problem.reason}` === madeUp.here(object));
    expect(found?.what).toBe(madeUp.here(sentence));
    expect(found?.todo ?? '').toContain(madeUp.here(todo));
  });

  it('does not say that the spec of a BMC was not seen if it was edited just now', async () => {
    await madeUp.become(aCluster({ bmcs: [aBmc('web', { observedGeneration: 1 })] }));
    const inputs = await loadInputs(c.client, { namespace: machines });
    const old = aged(inputs);
    const edited = inputs.bmcs.map((bmc, index) => {
      const { creationTimestamp = '' } = old.bmcs[index]?.metadata ?? {};
      return { ...bmc, metadata: { ...bmc.metadata, creationTimestamp } };
    });
    const isToldIn = (given: Inputs) => evaluate(given).problems.some(({ reason }) => reason === 'SpecNotSeen');
    expect([isToldIn(old), isToldIn({ ...old, bmcs: edited })]).toEqual([true, false]);
  });
});

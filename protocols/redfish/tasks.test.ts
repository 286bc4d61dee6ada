import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { MediaInsertion } from '../machine/index.ts';
import { resourceApp } from './service/dispatcher.ts';
import { taskRoutes } from './tasks.ts';
import { CALLER, checkAgainstSchema, FakeBmc, listening, needsSchemas, payloadAt } from './testing/index.ts';

const TASK = '/redfish/v1/TaskService/Tasks/i1';
const MONITOR = '/redfish/v1/TaskService/TaskMonitors/i1';

function aBmc(insertion?: Partial<MediaInsertion>): FakeBmc {
  const bmc = new FakeBmc();
  if (insertion === undefined) return bmc;
  const { drive } = bmc.machine.media;
  bmc.machine.media.drive = {
    ...drive,
    insertion: { id: 'i1', state: 'Importing', message: 'the image is imported', startedAt: bmc.time, ...insertion },
  };
  return bmc;
}

describe('a task', () => {
  const STATES = [
    ['Importing', 'Running', 'OK'],
    ['Waiting', 'Pending', 'Warning'],
    ['Done', 'Completed', 'OK'],
    ['Failed', 'Exception', 'Critical'],
  ] as const;
  const isOver = (state: string) => state === 'Done' || state === 'Failed';
  const taskIn = (state: (typeof STATES)[number][0]) => {
    const ended = isOver(state) ? { endedAt: 0 } : {};
    const bmc = aBmc({ state, progress: 42.7, message: 'the state of the import', ...ended });
    return payloadAt(taskRoutes(bmc.context), TASK);
  };

  it.each(STATES)('of an insertion that is %s is %s', async (state, TaskState, TaskStatus) => {
    const task = await taskIn(state);
    expect(task).toMatchObject({
      ...{ Id: 'i1', TaskState, TaskStatus, PercentComplete: 42, TaskMonitor: MONITOR },
      ...{ StartTime: '2026-11-22T01:02:03Z', Messages: [{ Message: 'the state of the import' }] },
    });
    expect('EndTime' in (task ?? {})).toBe(isOver(state));
  });

  it('says what the client has to do', async () => {
    const messages = async (parts: Partial<MediaInsertion>) =>
      (await payloadAt(taskRoutes(aBmc(parts).context), TASK))?.['Messages'];
    expect(await messages({ state: 'Waiting' })).toMatchObject([
      {
        MessageId: expect.stringContaining('.ResetRequired') as string,
        MessageArgs: ['/redfish/v1/Systems/1/Actions/ComputerSystem.Reset', 'PowerCycle'],
      },
    ]);
    expect(await messages({ state: 'Failed', resolution: 'Check the URL.' })).toMatchObject([
      { MessageId: expect.stringContaining('.GeneralError') as string, Resolution: 'Check the URL.' },
    ]);
  });

  it.each(STATES)('of an insertion that is %s conforms to its schema', needsSchemas, async (state) => {
    expect(checkAgainstSchema((await taskIn(state)) ?? {})).toEqual([]);
  });

  it('is a member of the collection if it exists', async () => {
    const members = async (bmc: FakeBmc) =>
      (await payloadAt(taskRoutes(bmc.context), '/redfish/v1/TaskService/Tasks'))?.Members;
    expect(await members(aBmc())).toEqual([]);
    expect(await members(aBmc({}))).toEqual([{ '@odata.id': TASK }]);
  });

  it('answers 404 if it does not exist', async () => {
    for (const uri of [TASK, MONITOR]) expect(await payloadAt(taskRoutes(aBmc().context), uri)).toBeUndefined();
  });
});

describe('a task monitor', () => {
  it.each([
    ['Importing', 202, 'the image is imported'],
    ['Waiting', 202, 'it needs a power cycle'],
    ['Done', 204, ''],
    ['Failed', 400, 'the image server answered 404'],
  ] as const)('of an insertion that is %s answers %i', async (state, status, text) => {
    const bmc = aBmc({ state, message: text });
    const gate = { authenticate: () => CALLER, anonymous: () => CALLER };
    const { observer } = bmc.options;
    const server = createServer(
      resourceApp(() => taskRoutes(bmc.context), { gate, observer, publish: () => undefined }),
    );
    await using served = await listening(server);
    const uri = served.url + MONITOR;
    const [answer, head] = await Promise.all([fetch(uri), fetch(uri, { method: 'HEAD' })]);
    expect([answer.status, answer.headers.get('location')]).toEqual([status, status === 202 ? MONITOR : null]);
    expect(await answer.text()).toContain(text);
    expect([head.status, headersOf(head), await head.text()]).toEqual([status, headersOf(answer), '']);
  });
});

/** Headers of the connection, not of the answer. */
const CONNECTION = ['date', 'connection', 'keep-alive'];

function headersOf({ headers }: Response): object {
  return Object.fromEntries([...headers].filter(([name]) => !CONNECTION.includes(name)));
}

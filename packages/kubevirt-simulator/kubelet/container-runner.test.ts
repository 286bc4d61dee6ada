import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '@groundcrew/controller-runtime';
import { logQuery, readLog } from './log-server.ts';
import { ContainerRunner, type ContainerRunnerOptions } from './container-runner.ts';

let directory: string;
let runner: ContainerRunner | undefined;
let running: Promise<void> | undefined;
let events: string[];
let wake: () => void;
/** Milliseconds by which the clock is ahead. */
let ahead: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'groundcrew-container-'));
  events = [];
  wake = () => undefined;
  ahead = 0;
});
afterEach(async () => {
  await runner?.stop(0);
  await running;
  await rm(directory, { recursive: true });
});

/** Runs a shell script as a container. */
function run(script: string, change: Partial<ContainerRunnerOptions> = {}): ContainerRunner {
  runner = new ContainerRunner({
    container: { name: 'agent', image: 'groundcrew' },
    podUid: 'u1',
    podName: 'web-0',
    former: undefined,
    target: { podIp: '127.0.0.1', ports: new Map() },
    directory,
    gracePeriod: () => 1000,
    launch: () => ({ command: ['/bin/sh', '-c', script], environment: { GREETING: 'hello' } }),
    clock: { ...systemClock, now: () => systemClock.now() + ahead },
    onChange: () => {
      wake();
    },
    onEvent: (_type, reason) => {
      events.push(reason);
    },
    ...change,
  });
  running = runner.run();
  return runner;
}

async function until(condition: () => boolean): Promise<void> {
  for (let polls = 0; polls < 200 && !condition(); polls += 1) {
    await Promise.race([
      new Promise<void>((resolve) => (wake = resolve)),
      new Promise<void>((resolve) => setTimeout(resolve, 50)),
    ]);
  }
  expect(condition()).toBe(true);
}

async function logOf(container: ContainerRunner, previous = false): Promise<string> {
  const log = container.log(previous);
  let text = '';
  if (log === undefined) return text;
  const query = logQuery(new URLSearchParams(), 0);
  for await (const piece of readLog(log, query, new AbortController().signal)) text += piece;
  return text;
}

const SERVES = 'echo $GREETING; exec sleep 100';

describe('a container', () => {
  it('runs its program with its environment and logs its output', async () => {
    const container = run(SERVES);
    await until(() => container.view.state.type === 'running');
    expect(container.view).toMatchObject({ ready: true, started: true, restartCount: 0, done: false });
    expect(await eventually(() => logOf(container))).toBe('hello\n');
    expect(events).toEqual(['Created', 'Started']);
  });

  it('restarts at once after the first failed run, and 10 s after the second', async () => {
    const readinessProbe = { httpGet: { port: 1 } };
    const container = run('echo bye; exit 3', { container: { name: 'agent', readinessProbe } });
    await until(() => container.view.state.type === 'waiting' && container.view.lastState !== undefined);
    expect(container.view).toMatchObject({
      state: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container=agent pod=web-0(u1)' },
      lastState: { exitCode: 3, reason: 'Error', containerId: 'sandbox://u1/agent/1' },
      restartCount: 1,
      ready: false,
    });
    expect(await logOf(container, true)).toBe('bye\n');
    expect(events).toEqual(['Created', 'Started', 'Created', 'Started', 'BackOff']);
  });

  it('restarts at once after each run that was ready for a second', async () => {
    const container = run('echo $$; exec sleep 100');
    for (const restarts of [1, 2]) {
      await until(() => container.view.ready);
      const pid = Number(await eventually(() => logOf(container)));
      ahead += 1000;
      process.kill(pid, 'SIGKILL');
      await until(() => container.view.restartCount === restarts && container.view.ready);
    }
    expect(container.view.lastState).toMatchObject({ exitCode: 137 });
    expect(events).not.toContain('BackOff');
  });

  it('is killed after its grace period if it ignores SIGTERM', async () => {
    const container = run("trap 'echo ignored' TERM; echo $GREETING; while :; do sleep 0.02; done");
    // The trap must exist before the signal.
    await eventually(() => logOf(container));
    await container.stop(200);
    await running;
    expect(container.view.state).toMatchObject({ type: 'terminated', exitCode: 137 });
    expect(await logOf(container)).toContain('ignored');
  });

  it('reports a program that does not exist', async () => {
    const container = run('', { launch: () => ({ command: ['/no/such/program'], environment: {} }) });
    await until(() => container.view.lastState !== undefined);
    expect(container.view.lastState).toMatchObject({ type: 'terminated', exitCode: 128, reason: 'StartError' });
    expect(events).toContain('Failed');
  });

  it('is restarted when its liveness probe fails', async () => {
    const livenessProbe = { httpGet: { port: 1 }, initialDelaySeconds: 0, periodSeconds: 0.05, failureThreshold: 2 };
    const container = run(SERVES, { container: { name: 'agent', image: 'groundcrew', livenessProbe } });
    await until(() => container.view.restartCount === 1);
    expect(events.slice(0, 5)).toEqual(['Created', 'Started', 'Unhealthy', 'Unhealthy', 'Killing']);
  });
});

describe('a sandbox that is killed', () => {
  it('ends its containers, because their standard input closes', async () => {
    const pidFile = join(directory, 'pid');
    const child = `require('fs').writeFileSync('${pidFile}', String(process.pid)); process.stdin.resume().on('end', () => process.exit())`;
    const module = new URL('container-process.ts', import.meta.url).href;
    const sandbox = `
      const { ContainerProcess } = await import('${module}');
      await ContainerProcess.start({ command: [process.execPath, '-e', ${JSON.stringify(child)}], environment: {}, directory: '${directory}', onLine: () => undefined });
      setInterval(() => undefined, 1000);`;
    const { ContainerProcess } = await import('./container-process.ts');
    const parent = await ContainerProcess.start({
      command: [process.execPath, '--input-type=module-typescript', '-e', sandbox],
      environment: {},
      directory,
      onLine: () => undefined,
    });
    const pid = Number(await eventually(() => readFile(pidFile, 'utf8')));
    process.kill(parent.pid ?? 0, 'SIGKILL');
    await eventually(() => {
      // Throws once the process is gone.
      const gone = (): boolean => {
        try {
          process.kill(pid, 0);
          return false;
        } catch {
          return true;
        }
      };
      return gone() ? Promise.resolve('gone') : Promise.reject(new Error(`process ${pid} outlives its sandbox`));
    });
  });
});

async function eventually(attempt: () => Promise<string>): Promise<string> {
  for (let tries = 0; tries < 250; tries += 1) {
    const result = await attempt().catch(() => '');
    if (result !== '') return result;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return await attempt();
}

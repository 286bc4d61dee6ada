import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BmcAccess } from './clients/power-client.ts';
import { Stage } from './cluster/stage.ts';
import { following, untilProgressEnds } from './following.ts';
import { killAgent, type Killed } from './kill-agent.ts';
import { isCycled, NAMESPACE } from './objects.ts';
import { Observer } from './observer.ts';
import { Processes } from './processes.ts';
import type { ProgressLine } from './progress-line.ts';
import { resultOf } from './result-of.ts';
import { processFigures, type FleetOptions, type FleetResult } from './results.ts';
import { accessOf, clientOf, setUp } from './set-up.ts';
import { checkAll, powerOnAll, powerOnBefore, prepareAll, type Attempt } from './storm.ts';

/** ms from the last lease until agents have written what they delay; the event log by up to 5 s. */
const LAST_WRITES = 8_000;
/** ms after which a start that a client has asked for without an answer counts as lost. */
const LOST = 20_000;

/** Makes a fleet, powers it on at once and measures it. @throws Error if the fleet cannot be made */
export async function runFleet(options: FleetOptions, line: ProgressLine): Promise<FleetResult> {
  await using parts = new AsyncDisposableStack();
  line.say(`starts the API server (${options.server}), the simulator and the manager`);
  const processes = new Processes();
  parts.defer(() => {
    processes.stop();
  });
  const stage = await Stage.start({ namespace: NAMESPACE, ...options });
  parts.defer(() => stage.close());
  const observer = new Observer(stage.client);
  parts.defer(() => {
    observer.close();
  });
  await observer.start();

  const begun = performance.now();
  const names = await setUp(stage, observer, options, line);
  const setUpTime = performance.now() - begun;
  line.say(`${names.length} BMCs are Ready after ${seconds(setUpTime)}`);

  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-fleet-'));
  parts.defer(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const bmcs = await accessOf(stage, names);
  const attempts = bmcs.map((bmc, index): Attempt => ({
    vm: bmc.vm,
    client: clientOf(bmc, index, names.length, folder),
    isCycled: isCycled(index, options),
    errors: [],
  }));

  if (options.cycled > 0) {
    const show = () => `before the storm: ${observer.leased} of ${options.cycled} have a lease`;
    await following(line, show, powerOnBefore(attempts));
    await untilProgressEnds(line, show, () => observer.leased, options.cycled);
  }
  await following(
    line,
    () => `boot device: ${count(attempts, 'prepared')} of ${names.length} set`,
    prepareAll(attempts),
  );
  processes.sample();
  const processorTimes = new Map(processes.records.map((record) => [record, record.processorTime]));
  const before = await stage.requests();

  observer.beginStorm();
  const zero = performance.now();
  const storming = powerOnAll(attempts, (vm) => observer.hasStarted(vm, LOST));
  const killing = options.killAgent ? killInStorm(stage, attempts, bmcs, line) : undefined;
  await following(line, stormLine(attempts, observer, zero), Promise.all([storming, killing]));
  await untilProgressEnds(
    line,
    stormLine(attempts, observer, zero),
    () => observer.running + observer.leased,
    2 * names.length,
  );
  processes.sample();
  const figures = processFigures(processes.records, processorTimes, zero);
  await sleep(LAST_WRITES);
  const after = await stage.requests();

  const kill = await (await killing)?.recovered;
  await following(
    line,
    () => `power status: ${attempts.filter(({ isOn }) => isOn === true).length} of ${names.length} are on`,
    checkAll(attempts),
  );
  const requests = { before, after, end: await stage.requests() };
  return resultOf({
    ...{ options, attempts, observer, zero, setUpTime, figures, requests },
    ...(kill === undefined ? {} : { kill }),
  });
}

/** Kills an agent when a quarter of the fleet has been powered on. */
async function killInStorm(
  stage: Stage,
  attempts: readonly Attempt[],
  bmcs: readonly BmcAccess[],
  line: ProgressLine,
): Promise<Killed> {
  while (count(attempts, 'answered') < attempts.length / 4) await sleep(5);
  const killed = await killAgent(stage.client, stage.node, bmcs);
  line.say(`killed the agent of pod ${killed.pod}`);
  return killed;
}

function stormLine(attempts: readonly Attempt[], observer: Observer, zero: number): () => string {
  return () => {
    const powered = count(attempts, 'answered');
    const errors = attempts.filter((attempt) => attempt.errors.length > 0).length;
    const rate = (observer.running * 1000) / (performance.now() - zero);
    return `storm: ${powered} of ${attempts.length} powered on, ${observer.running} running, ${observer.leased} with a lease, ${errors} errors, ${rate.toFixed(1)} VMs/s`;
  };
}

function count(attempts: readonly Attempt[], field: 'prepared' | 'answered'): number {
  return attempts.filter((attempt) => attempt[field] !== undefined).length;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialsSecretName } from '../../../api/index.ts';
import { CONFIG_MAPS, SECRETS } from '@groundcrew/controller-runtime';
import { findTool } from '../../tools/index.ts';
import { IpmiClient } from './clients/ipmi-client.ts';
import type { BmcAccess, PowerClient } from './clients/power-client.ts';
import { CurlClient, IpmitoolClient } from './clients/real-client.ts';
import { RedfishClient } from './clients/redfish-client.ts';
import type { RequestTotals } from './cluster/request-counts.ts';
import { HOME, Stage } from './cluster/stage.ts';
import { killAgent, type Killed } from './kill-agent.ts';
import { createFleet, createNetwork, NAMESPACE, serviceOf, vmNames } from './objects.ts';
import { Observer } from './observer.ts';
import { Processes } from './processes.ts';
import type { ProgressLine } from './progress-line.ts';
import { errorsOf, processFigures, quantiles, type FleetOptions, type FleetResult } from './results.ts';
import { checkAll, powerOnAll, prepareAll, type Attempt } from './storm.ts';

/** Milliseconds between two looks at the fleet. */
const LOOK = 100;
/** Milliseconds without any progress after which a phase is given up. */
const STALLED = 120_000;
/** Most VMs that each of ipmitool and curl drives; of a small fleet, an eighth. */
const SAMPLE = 5;

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
  const { names } = await setUp(stage, observer, options, line);
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
    errors: [],
  }));

  await following(
    line,
    () => `boot device: ${count(attempts, 'prepared')} of ${names.length} set`,
    prepareAll(attempts),
  );
  processes.sample();
  const before = new Map(processes.records.map((record) => [record, record.processorTime]));
  const requestsBefore = await stage.requests();

  const zero = performance.now();
  const storming = powerOnAll(attempts);
  const killing = options.killAgent ? killInStorm(stage, attempts, bmcs, line) : undefined;
  await following(line, stormLine(attempts, observer, zero), Promise.all([storming, killing]));
  await untilProgressEnds(
    line,
    stormLine(attempts, observer, zero),
    () => observer.running + observer.leased,
    2 * names.length,
  );
  processes.sample();
  const figures = processFigures(processes.records, before, zero);
  const stormRequests = await stage.requests();

  const kill = await (await killing)?.recovered;
  await following(
    line,
    () => `power status: ${attempts.filter(({ isOn }) => isOn === true).length} of ${names.length} are on`,
    checkAll(attempts),
  );
  const totals = await stage.requests();
  return resultOf({
    ...{ options, attempts, observer, zero, setUpTime, figures, totals },
    ...{ requestsBefore, stormRequests },
    ...(kill === undefined ? {} : { kill }),
  });
}

/** Creates the fleet; resolves when all BMCs are Ready, all addresses are allocated, and the network is served. */
async function setUp(
  { client }: Stage,
  observer: Observer,
  { vms, placement }: FleetOptions,
  line: ProgressLine,
): Promise<{ names: string[] }> {
  const names = vmNames(vms);
  await createNetwork(client);
  let created = 0;
  const creating = createFleet(client, names, placement, () => {
    created += 1;
  });
  const show = (): string =>
    `set-up: ${created} of ${vms} created, ${observer.allocated} with an address, ${observer.ready} BMCs Ready${observer.isServed ? '' : ', no DHCP agent yet'}`;
  await following(line, show, creating);
  const reached = (): number => observer.ready + observer.allocated + (observer.isServed ? 1 : 0);
  await untilProgressEnds(line, show, reached, 2 * vms + 1);
  if (reached() < 2 * vms + 1) {
    const missing = names.flatMap((name) => {
      const trouble = observer.troubleOf(name);
      return trouble === undefined ? [] : [`${name}: ${trouble}`];
    });
    throw new Error(['the fleet was not made', show(), ...missing.slice(0, 5)].join('\n'));
  }
  return { names };
}

async function accessOf(stage: Stage, names: readonly string[]): Promise<BmcAccess[]> {
  const { client } = stage;
  const [{ items: secrets }, addresses, authority] = await Promise.all([
    client.list(SECRETS, { namespace: NAMESPACE }),
    stage.addresses(NAMESPACE, names.map(serviceOf)),
    client.get(CONFIG_MAPS, { namespace: HOME, name: 'groundcrew-ca' }),
  ]);
  const byName = new Map(secrets.map((secret) => [secret.metadata.name, secret.data ?? {}]));
  return names.map((vm, index) => {
    const address = addresses[index];
    if (address === undefined || address === null) throw new Error(`the ports of the BMC of ${vm} are not open`);
    const text = (key: string): string =>
      Buffer.from(byName.get(credentialsSecretName(vm))?.[key] ?? '', 'base64').toString();
    return {
      vm,
      ...address,
      username: text('username'),
      password: text('password'),
      ca: authority.data?.['ca.crt'] ?? '',
    };
  });
}

/** IPMI and Redfish in turns; the first few VMs are driven by real clients, if the machine has them. */
function clientOf(bmc: BmcAccess, index: number, size: number, folder: string): PowerClient {
  const isReal = index < 2 * Math.min(SAMPLE, Math.ceil(size / 8));
  const isIpmi = index % 2 === 0;
  const program = isReal ? findTool(isIpmi ? 'ipmitool' : 'curl') : undefined;
  if (isIpmi) return program === undefined ? new IpmiClient(bmc) : new IpmitoolClient(program, bmc);
  if (program === undefined) return new RedfishClient(bmc);
  const ca = join(folder, 'ca.crt');
  writeFileSync(ca, bmc.ca);
  return new CurlClient(program, bmc, ca);
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

/** Shows a line until `work` is done. */
async function following(line: ProgressLine, show: () => string, work: Promise<unknown>): Promise<void> {
  const timer = setInterval(() => {
    line.update(show());
  }, LOOK);
  try {
    await work;
  } finally {
    clearInterval(timer);
  }
  line.say(show());
}

/** Resolves when `reached` is `goal`, or has not grown for {@link STALLED} ms. */
async function untilProgressEnds(
  line: ProgressLine,
  show: () => string,
  reached: () => number,
  goal: number,
): Promise<void> {
  let best = -1;
  let since = performance.now();
  while (reached() < goal && performance.now() - since < STALLED) {
    if (reached() > best) {
      best = reached();
      since = performance.now();
    }
    line.update(show());
    await sleep(LOOK);
  }
  line.say(show());
}

interface Outcome {
  options: FleetOptions;
  attempts: readonly Attempt[];
  observer: Observer;
  zero: number;
  setUpTime: number;
  figures: FleetResult['processes'];
  totals: RequestTotals;
  requestsBefore: RequestTotals;
  stormRequests: RequestTotals;
  kill?: FleetResult['kill'];
}

function resultOf(outcome: Outcome): FleetResult {
  const { options, attempts, observer, zero, setUpTime, figures, totals, requestsBefore, stormRequests, kill } =
    outcome;
  const seen = attempts.map((attempt) => ({ attempt, sight: observer.sightOf(attempt.vm) }));
  const sinceZero = (times: readonly (number | undefined)[]): number[] =>
    times.flatMap((time) => (time === undefined ? [] : [time - zero])).toSorted((one, other) => one - other);
  const fromRequest = (timeOf: (each: (typeof seen)[number]) => number | undefined): number[] =>
    seen.flatMap((each) => {
      const time = timeOf(each);
      return time === undefined || each.attempt.requested === undefined ? [] : [time - each.attempt.requested];
    });
  const times = {
    toAnswer: fromRequest(({ attempt }) => attempt.answered),
    toRunning: fromRequest(({ sight }) => sight.running),
    toLease: fromRequest(({ sight }) => sight.leased),
  };
  const curves = {
    requested: sinceZero(attempts.map(({ requested }) => requested)),
    answered: sinceZero(attempts.map(({ answered }) => answered)),
    running: sinceZero(seen.map(({ sight }) => sight.running)),
    leased: sinceZero(seen.map(({ sight }) => sight.leased)),
  };
  return {
    options,
    clients: Object.fromEntries(
      Object.entries(Object.groupBy(attempts, ({ client }) => client.tool)).map(([tool, those]) => [
        tool,
        those.length,
      ]),
    ),
    errors: seen.flatMap(({ attempt, sight }) => errorsOf(attempt, sight)),
    startedOnce: seen.filter(({ sight }) => sight.instances.size === 1).length,
    starts: totals.starts,
    leased: curves.leased.length,
    repeats: attempts.reduce((sum, { client }) => sum + client.repeats, 0),
    setUp: setUpTime,
    storm: Math.max(curves.leased.at(-1) ?? 0, curves.answered.at(-1) ?? 0),
    times,
    latencies: {
      toAnswer: quantiles(times.toAnswer),
      toRunning: quantiles(times.toRunning),
      toLease: quantiles(times.toLease),
    },
    curves,
    processes: figures,
    requests: requestsOf(options.vms, requestsBefore, stormRequests, totals),
    ...(kill === undefined ? {} : { kill }),
  };
}

function requestsOf(
  vms: number,
  before: RequestTotals,
  storm: RequestTotals,
  totals: RequestTotals,
): FleetResult['requests'] {
  const kindOf = (user: string): keyof FleetResult['requests'] => {
    if (user.startsWith(`system:serviceaccount:${HOME}:`)) return 'manager';
    if (!user.startsWith(`system:serviceaccount:${NAMESPACE}:`)) return 'simulator and load generator';
    return /-dhcp-\d+$/.test(user) ? 'DHCP agents' : 'BMC agents';
  };
  const figures: FleetResult['requests'] = {
    manager: { all: 0, storm: 0 },
    'BMC agents': { all: 0, storm: 0 },
    'DHCP agents': { all: 0, storm: 0 },
    'simulator and load generator': { all: 0, storm: 0 },
  };
  for (const [user, requests] of Object.entries(totals.users)) {
    const figure = figures[kindOf(user)];
    figure.all += requests / vms;
    figure.storm += ((storm.users[user] ?? 0) - (before.users[user] ?? 0)) / vms;
  }
  return figures;
}

function count(attempts: readonly Attempt[], field: 'prepared' | 'answered'): number {
  return attempts.filter((attempt) => attempt[field] !== undefined).length;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

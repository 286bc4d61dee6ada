/**
 * `node test/idle.ts [seconds] [interval]`: polls `power status` of a BMC every 3 s on an idle, real kube-apiserver whose
 * etcd sends progress notifications at that interval. Default: 360 s, and etcd's 10 minutes. Prints the refused polls and
 * the agent's requests to the API server. Exit code 1 if a poll was refused.
 *
 * kube-apiserver sends bookmarks only after progress notifications of etcd. kubeadm sets their interval to 5 s. From etcd
 * 3.4.25 and 3.5.8 on, kube-apiserver also requests one for some reads. Debian 12's etcd 3.4.23 sends none while idle; set
 * `TEST_ASSET_ETCD` to its path.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACES } from '@groundcrew/controller-runtime';
import { installCustomResources } from './harness/custom-resources.ts';
import { ControlPlane } from './harness/kubernetes/control-plane.ts';
import { ipmitool } from './harness/sandbox/ipmitool.ts';
import { startStandIns } from './harness/stand-ins.ts';
import { TestAgent } from './suites/power/test-agent.ts';
import { TestMachine } from './suites/power/test-machine.ts';

const PERIOD = 3000;
const NAMESPACE = 'idle';

const seconds = Number(process.argv[2] ?? 360);
const progressNotifyInterval = process.argv[3];

const folder = mkdtempSync(join(tmpdir(), 'groundcrew-idle-'));
const plane = await ControlPlane.start(progressNotifyInterval === undefined ? {} : { progressNotifyInterval });
try {
  const refused = await polled();
  process.exitCode = refused === 0 ? 0 : 1;
} finally {
  await plane.close();
  rmSync(folder, { recursive: true, force: true });
}

/** @returns the number of polls that were refused */
async function polled(): Promise<number> {
  const server = plane.asTestServer();
  const { client } = server;
  await installCustomResources(client);
  const standIns = await startStandIns(server, folder, { parts: ['kubevirt'] });
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const machine = await TestMachine.create({ client }, NAMESPACE, 'vm-1', 'Manual');
  const agent = await TestAgent.start(server, { bmc: machine.bmc });
  const requests = countRequests(agent);
  try {
    const answers = await poll(agent.ipmiPort ?? 0);
    report(answers, requests);
    return answers.filter(({ isRefused }) => isRefused).length;
  } finally {
    await agent.close();
    await standIns.close();
  }
}

interface Answer {
  /** Seconds since the first poll. */
  readonly at: number;
  readonly words: string;
  readonly isRefused: boolean;
}

async function poll(port: number): Promise<Answer[]> {
  const bmc = { ipmi: { host: '127.0.0.1', port }, username: 'admin', password: 'secret' };
  const answers: Answer[] = [];
  const begin = Date.now();
  for (let next = begin; next < begin + seconds * 1000; next += PERIOD) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
    const { code, stdout, stderr } = await ipmitool(bmc, 'power status');
    answers.push({ at: Math.round((next - begin) / 1000), words: `${stdout}${stderr}`.trim(), isRefused: code !== 0 });
  }
  return answers;
}

/** Requests of the agent by method and kind, from now on. */
function countRequests({ transport }: TestAgent): Map<string, number> {
  const counts = new Map<string, number>();
  transport.holdsBack = (method, path) => {
    const [place = '', query = ''] = path.split('?');
    const kind = place.split('/').find((_, index, parts) => parts[index - 2] === 'namespaces') ?? place;
    const verb = query.includes('watch=true') ? 'WATCH' : query.includes('fieldSelector') ? 'LIST' : method;
    counts.set(`${verb} ${kind}`, (counts.get(`${verb} ${kind}`) ?? 0) + 1);
    return false;
  };
  return counts;
}

function report(answers: readonly Answer[], requests: ReadonlyMap<string, number>): void {
  const refusals = answers.filter(({ isRefused }) => isRefused);
  console.log(`${refusals.length} of ${answers.length} polls in ${seconds} s were refused`);
  for (const { at, words } of refusals) console.log(`  at ${at} s: ${words}`);
  for (const [request, count] of [...requests].sort()) console.log(`  ${count} × ${request}`);
}

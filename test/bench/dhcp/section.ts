import { namespaceProblem } from '../../harness/namespaces/index.ts';
import { versionOf } from '../facts.ts';
import { Figures, type Progress, type Section } from '../measurement.ts';
import type { Contender } from './contender.ts';
import { dnsmasq } from './contenders/dnsmasq.ts';
import { Groundcrew } from './contenders/groundcrew.ts';
import { kea } from './contenders/kea.ts';
import { npmDhcp } from './contenders/npm-dhcp.ts';
import { measureHandlers } from './handlers.ts';
import { BenchNetwork } from './network.ts';
import { ROWS, visit, visitWithPerfdhcp } from './visit.ts';

const TITLE = 'DHCP';
const ROUNDS = 3;
/** perfdhcp's highest rate differs more between rounds than the other figures. */
const PERFDHCP_ROUNDS = 5;

/** Measures DHCP with relayed clients. Needs root for network namespaces. */
export async function measureDhcp(progress: Progress): Promise<Section> {
  const problem = namespaceProblem();
  if (problem !== undefined) {
    progress(`LEFT OUT dhcp: ${problem}`);
    return { title: TITLE, introduction: INTRODUCTION, inputs: [`It was left out: ${problem}.`], measurements: [] };
  }
  await using groundcrew = await Groundcrew.create(progress);
  const keas = [
    kea({ socket: 'raw', persist: true }),
    ...[true, false].map((persist) => kea({ socket: 'udp', persist })),
  ];
  const contenders: Contender[] = [groundcrew, ...keas, dnsmasq, npmDhcp];
  const figures = new Figures(ROWS);
  const notes = new Set<string>();
  const turn = async (what: string, contender: Contender, measure: typeof visit): Promise<void> => {
    progress(`${what}: ${contender.name}`);
    // A new network for each server, without packets of the previous one.
    const network = new BenchNetwork();
    try {
      for (const note of await measure(contender, network, figures)) notes.add(note);
    } catch (error) {
      if (contender === groundcrew) throw error;
      const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      progress(`LEFT OUT ${contender.name}: ${String(error)}`);
      notes.add(`${contender.name} was left out of a round: ${reason}`);
    } finally {
      network.close();
    }
  };
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const contender of contenders) await turn(`round ${round} of ${ROUNDS}`, contender, visit);
  for (let round = 1; round <= PERFDHCP_ROUNDS; round += 1) {
    // In turn forwards and backwards, so that a drift of the machine favours no server.
    const order = round % 2 === 1 ? contenders : contenders.toReversed();
    const what = `perfdhcp, round ${round} of ${PERFDHCP_ROUNDS}`;
    for (const contender of order) await turn(what, contender, visitWithPerfdhcp);
  }
  const measurements = [...figures.measurements(), ...(await measureHandlers(progress))];
  return { title: TITLE, introduction: INTRODUCTION, inputs: [...versions(), ...notes], measurements };
}

function versions(): string[] {
  return [
    ...versionOf('dpkg-query', '--show', '--showformat=${Package} ${Version}', 'kea-dhcp4-server'),
    ...versionOf('dpkg-query', '--show', '--showformat=${Package} ${Version}', 'kea-admin'),
    ...versionOf('dpkg-query', '--show', '--showformat=${Package} ${Version}', 'dnsmasq-base'),
  ];
}

const INTRODUCTION = [
  '- 10,000 VMs with one lease each. A relay agent sends their requests over a cable between two network namespaces. An exchange is DISCOVER, OFFER,',
  '  REQUEST and ACK, each of another VM. The generator is one Node process of ours. It retransmits after one second, sooner than real clients, and',
  '  shares the two cores with the server.',
  '- groundcrew: the agent as in the image. An API server on the same machine holds its 10,000 IPLeases. The agent writes their status; right after its',
  '  start it writes all of them, during the storm.',
  '- A restart is a kill -9, timed from the start of the process. While the Kubernetes API is down, the agent tries to reach it for two seconds before it',
  '  serves the leases that it had stored on disk.',
  '- Kea: a host reservation for each VM, two threads. With raw sockets, its default; with UDP sockets, which its manual advises where all clients are',
  '  behind relay agents, as here; and with those without its lease file.',
  '- perfdhcp: all servers at the same rates, in five rounds, forwards and backwards in turn. The ratio is that of the medians, with the lowest and the',
  '  highest ratio of a round.',
  '- dnsmasq: a `dhcp-host` for each VM. It is not in the storms: it did not finish one within half a minute.',
  '- npm dhcp 0.2.20: a static address for each VM. The published version does not answer relay agents, so its `_send` is replaced. It crashes on a',
  '  client that requests option 60, as each network boot does. It is not measured with unknown clients: it gives them all its addresses and then searches in',
  '  an endless loop.',
];

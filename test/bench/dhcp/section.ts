import { namespaceProblem } from '../../harness/namespaces/index.ts';
import { factOf } from '../machine-facts.ts';
import type { Section } from '../section.ts';
import { BenchNetwork } from './bench-network.ts';
import type { Contender } from './contender.ts';
import { dnsmasq } from './contenders/dnsmasq.ts';
import { Groundcrew } from './contenders/groundcrew.ts';
import { kea } from './contenders/kea.ts';
import { npmDhcp } from './contenders/npm-dhcp.ts';
import { Figures } from '../figures.ts';
import { ROWS } from './rows.ts';
import { measureHandlers } from './handlers.ts';
import { visit } from './visit.ts';

const TITLE = 'DHCP';
const ROUNDS = 3;

/** DHCP, as relayed clients see it. Needs root, for network namespaces. */
export async function measureDhcp(progress: (line: string) => void): Promise<Section> {
  const problem = namespaceProblem();
  if (problem !== undefined) {
    progress(`LEFT OUT dhcp: ${problem}`);
    return { title: TITLE, introduction: INTRODUCTION, inputs: [`It was left out: ${problem}.`], measurements: [] };
  }
  await using groundcrew = await Groundcrew.create(progress);
  const contenders: Contender[] = [groundcrew, kea(false), kea(true), dnsmasq, npmDhcp];
  const figures = new Figures(ROWS);
  const notes = new Set<string>();
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const contender of contenders) {
      progress(`round ${round} of ${ROUNDS}: ${contender.name}`);
      // One for each, so that nothing of one server waits there for the next.
      const network = new BenchNetwork();
      try {
        for (const note of await visit(contender, network, figures)) notes.add(note);
      } catch (error) {
        if (contender === groundcrew) throw error;
        const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
        progress(`LEFT OUT ${contender.name}: ${String(error)}`);
        notes.add(`${contender.name} was left out of a round: ${reason}`);
      } finally {
        network.close();
      }
    }
  }
  const measurements = [...figures.measurements(), ...(await measureHandlers(progress))];
  return { title: TITLE, introduction: INTRODUCTION, inputs: [...versions(), ...notes], measurements };
}

function versions(): string[] {
  return [
    ...factOf('dpkg-query', '--show', '--showformat=${Package} ${Version}', 'kea-dhcp4-server'),
    ...factOf('dpkg-query', '--show', '--showformat=${Package} ${Version}', 'kea-admin'),
    ...factOf('dpkg-query', '--show', '--showformat=${Package} ${Version}', 'dnsmasq-base'),
  ];
}

const INTRODUCTION = [
  '- 10,000 VMs with a lease each, asked for by a relay agent over a cable between two network namespaces. An exchange is',
  '  DISCOVER, OFFER, REQUEST and ACK, and each one is of another VM. The generator is one Node process of ours; it sends',
  '  again after one second, sooner than real clients, and it and the server share the two cores.',
  '- groundcrew: the agent as the image has it, whose 10,000 IPLeases an API server on the same machine holds. It writes',
  '  into their status what it saw; right after its start that is all of them, while the storm is on.',
  '- A restart is by kill -9, and is timed from the start of the process. While the Kubernetes API is away, the agent asks for',
  '  it for two seconds before it serves what it had written to disk.',
  '- Kea: a host reservation for each VM, two threads; as it comes it keeps leases in a file, and without.',
  '- dnsmasq: a `dhcp-host` for each VM. It takes no part in storms, which it had not ended in half a minute.',
  '- npm dhcp 0.2.20: a static address for each VM. As published it answers relay agents nothing, so its `_send` is',
  '  replaced by one that answers them; and a client that asks for option 60, as every network boot does, ends it. It',
  '  takes no part beside strangers, which it gives addresses until it has none and then goes on searching for ever.',
];

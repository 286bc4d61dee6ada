import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { eventLogName, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../../api/index.ts';
import { CONFIG_MAPS, type ConfigMap, KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { NamedWatches } from '../../../agent/bmc/index.ts';
import { BmcEventLog } from '../../../agent/bmc/log/bmc-event-log.ts';
import { OwnedObject } from '../../../agent/bmc/objects/owned-object.ts';
import { BmcState } from '../../../agent/bmc/state/bmc-state.ts';
import { MadeCredentials } from '../../../agent/bmc/state/made-credentials.ts';
import { type Cluster, eventually } from '../../harness/index.ts';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { serviceAccountToken } from '../../harness/service-accounts.ts';
import { FaultyTransport } from '../../harness/faulty-transport.ts';
import { permit } from '../power/test-agent.ts';
import type { TestMachine } from '../power/test-machine.ts';

/**
 * The stored state of a BMC in an agent, with the token and the permissions that the manager gives it; no BMC is
 * served.
 */
class StateAgent {
  readonly client: KubeClient;
  readonly transport: FaultyTransport;
  readonly state: BmcState;
  readonly log: BmcEventLog;
  readonly credentials: MadeCredentials;
  readonly #stop = new AbortController();

  private constructor(transport: FaultyTransport, bmc: VirtualMachineBMC) {
    const { namespace = '', name } = bmc.metadata;
    const client = new KubeClient({ transport, fieldManager: 'groundcrew-agent-bmc' });
    const { signal } = this.#stop;
    const common = { clock: systemClock, logger: silentLogger };
    const watches = new NamedWatches({ ...common, client, namespace });
    const report = (): void => undefined;
    this.transport = transport;
    this.client = client;
    this.state = new BmcState({ ...common, client, watches, bmc, onChange: () => undefined, report, signal });
    const object = new OwnedObject<ConfigMap>({
      ...{ client, watches, bmc, kind: CONFIG_MAPS, name: eventLogName(name) },
      onChange: () => {
        this.log.follow();
      },
    });
    this.log = new BmcEventLog({ ...common, object, report, random: randomBytes });
    this.credentials = new MadeCredentials({ client, bmc, cached: () => undefined, clock: systemClock, signal });
  }

  /** Resolves when it has read the stored state. */
  static async start(cluster: Cluster, machine: TestMachine): Promise<StateAgent> {
    const { client, server, ca } = cluster;
    const bmc = await client.get(VIRTUAL_MACHINE_BMCS, machine.bmc);
    const token = await serviceAccountToken(client, await permit(cluster, bmc));
    const agent = new StateAgent(new FaultyTransport(httpsTransport({ server, ca, token })), bmc);
    await agent.state.load();
    await eventually(() => {
      if (!agent.log.hasSettled) throw new Error('the agent has heard nothing yet');
    });
    return agent;
  }

  /** Stops all activity immediately. */
  async kill(): Promise<void> {
    this.transport.kill();
    await this.close();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.state.stop();
    await this.log.close(true);
    await this.transport.close();
  }
}

/** Starts agents that end with the suite. */
export function stateAgents(cluster: Cluster): (machine: TestMachine) => Promise<StateAgent> {
  const agents: StateAgent[] = [];
  afterAll(async () => {
    for (const agent of agents) await agent.close();
  });
  return async (machine) => {
    const agent = await StateAgent.start(cluster, machine);
    agents.push(agent);
    return agent;
  };
}

/**
 * KubeVirt, VM networks, a node that runs the agents as processes, their controllers and kube-proxy: all that a cluster has
 * besides its API server and the manager, simulated in one process. Argument: a {@link SimulatorTask}.
 */
import { randomBytes } from 'node:crypto';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { startDeployments } from '@groundcrew/kubevirt-simulator/deployments';
import { startKubelet } from '@groundcrew/kubevirt-simulator/kubelet';
import { startKubeVirt } from '@groundcrew/kubevirt-simulator/kubevirt';
import { startNetworks } from '@groundcrew/kubevirt-simulator/networks';
import { startServices, type Services } from '@groundcrew/kubevirt-simulator/services';
import { DhcpGuestNetwork } from '../../../../cli/sandbox/guest-network/index.ts';
import type { Credentials } from '../../../harness/server.ts';
import { AGENT_IMAGE } from '../../../harness/stand-ins.ts';
import { givenArgument, serveParent } from './serve-parent.ts';

export interface SimulatorTask {
  server: string;
  ca: string;
  credentials: Credentials;
  /** Folder for files and logs of pods. */
  directory: string;
  /** Milliseconds that a VM takes from its start to Running, and again until its system is up. */
  bootTime: number;
  /** What the agents' image runs. */
  image: { command: readonly string[]; environment: Readonly<Record<string, string>> };
}

/** The addresses of a BMC's Service on this machine. */
export interface BmcAddress {
  ipmi: { host: string; port: number };
  redfish: { host: string; port: number };
}

// Written by `Stage`.
const { server, ca, credentials, directory, bootTime, image } = givenArgument() as SimulatorTask;
const parts = new AsyncDisposableStack();
const starting = start();

async function start(): Promise<Services> {
  const commonOf = (name: string) => {
    const client = new KubeClient({ transport: undiciTransport({ server, ca, ...credentials }), fieldManager: name });
    parts.defer(() => client.close());
    return { client, clock: systemClock, random: randomBytes, logger: silentLogger };
  };
  const networks = startNetworks(commonOf('multus'));
  parts.defer(() => networks.close());
  const apiServer = { host: '127.0.0.1', port: Number(new URL(server).port), ca };
  const images = { [AGENT_IMAGE]: image };
  const [services, ...others] = await Promise.all([
    startServices(commonOf('kube-proxy')),
    startKubelet({ ...commonOf('kubelet'), images, apiServer, directory }),
    startDeployments(commonOf('deployment-controller')),
    startKubeVirt({
      ...commonOf('virt-controller'),
      bootTime,
      guestNetwork: (options) => new DhcpGuestNetwork(networks, options),
    }),
    networks.registered.then(() => ({ close: () => Promise.resolve() })),
  ]);
  for (const part of [services, ...others]) parts.defer(() => part.close());
  return services;
}

serveParent(
  {
    ready: async () => {
      await starting;
    },
    /** `null` for a Service without an open port. */
    addresses: async ({ namespace, names }: { namespace: string; names: readonly string[] }) => {
      const services = await starting;
      return names.map((name): BmcAddress | null => {
        const ipmi = services.addressOf({ namespace, name }, 'ipmi');
        const redfish = services.addressOf({ namespace, name }, 'redfish');
        return ipmi === undefined || redfish === undefined ? null : { ipmi, redfish };
      });
    },
  },
  async () => {
    await starting.catch(() => undefined);
    await parts.disposeAsync();
  },
);

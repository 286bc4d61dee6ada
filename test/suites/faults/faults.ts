import { expect } from 'vitest';
import { IP_LEASES, IP_POOLS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { PODS, unlessGone, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import type { Done } from '../../harness/faulty-proxy.ts';
import { eventually } from '../../harness/index.ts';
import { descendantsOf } from '../../harness/sandbox/descendants.ts';
import { startStorm } from '../manager/storm.ts';
import type { Expected } from './clients.ts';
import type { Fleet } from './fleet.ts';

/** Watches are opened again after 10 s at the latest. */
const RECONNECTED = { timeout: 30_000 };
const HOUR = 3_600_000;
const ALL_WELL: Expected = { mayNotKnow: false, lost: [] };

export interface Fault {
  name: string;
  /** Restarts of a machine that a user asks for during the fault. */
  restarts: number;
  /** Begins the fault, and lets users write when they can; returns what clients may see while it lasts. */
  begin(fleet: Fleet, write: () => Promise<void>): Promise<Expected>;
  end?(fleet: Fleet): Promise<void> | void;
  /** Throws if the fault is not in what the proxy has done. */
  expectDone?(done: Done): void;
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'the API server is killed, and etcd compacted while no watch is open',
    restarts: 1,
    begin: async ({ cluster, proxy }, write) => {
      proxy.cut();
      await write();
      await cluster.compact();
      await cluster.outage.begin();
      return { mayNotKnow: true, lost: [] };
    },
    end: async ({ cluster, proxy }) => {
      await cluster.outage.end();
      proxy.restore();
    },
    expectDone: (done) => {
      expect(done.expired).toBeGreaterThan(0);
    },
  },
  {
    name: 'watches break, then all connections, and then watches again',
    restarts: 0,
    begin: async ({ proxy }, write) => {
      proxy.cutWatches();
      await write();
      proxy.cut();
      return { mayNotKnow: true, lost: [] };
    },
    end: async ({ proxy }) => {
      proxy.restore();
      await eventually(() => {
        expect(proxy.openWatches).toBeGreaterThan(10);
      }, RECONNECTED);
      proxy.cutWatches();
    },
    expectDone: (done) => {
      expect(done.watchesCut).toBeGreaterThan(10);
    },
  },
  {
    name: 'each request takes 200 ms longer, and one of 20 fails',
    restarts: 4,
    begin: async ({ proxy }, write) => {
      proxy.latency = 200;
      proxy.errors = 0.05;
      await write();
      return { mayNotKnow: true, lost: [] };
    },
    end: ({ proxy }) => {
      proxy.latency = 0;
      proxy.errors = 0;
    },
    expectDone: (done) => {
      expect(done.delayed).toBeGreaterThan(0);
      expect(done.refused + done.dropped + done.answersLost).toBeGreaterThan(0);
    },
  },
  {
    name: 'the clocks of all processes are set forward, and then back by two hours',
    restarts: 0,
    begin: async ({ probes }, write) => {
      await probes.setClocks(HOUR);
      await write();
      await probes.setClocks(-HOUR);
      return { mayNotKnow: true, lost: [] };
    },
    end: async ({ probes }) => {
      await probes.setClocks(0);
    },
  },
  {
    name: 'other writers change all objects again and again',
    restarts: 1,
    begin: async (fleet, write) => {
      await Promise.all([stormOver(fleet), write()]);
      return ALL_WELL;
    },
  },
  {
    name: 'a node with a BMC agent and a DHCP agent is lost',
    restarts: 1,
    begin: async (fleet, write) => {
      const [first] = fleet.machines;
      const pods = [await fleet.podOf(first?.name ?? ''), await fleet.podOf('DHCP')];
      for (const { status } of pods) pauseAgentAt(status?.podIP ?? '');
      await eventually(
        async () => {
          const { status } = await fleet.cluster.client.get(VIRTUAL_MACHINE_BMCS, fleet.ref(first?.name ?? ''));
          expect(status?.phase).not.toBe('Ready');
        },
        { timeout: 60_000, interval: 250 },
      );
      // As the pod garbage collector does when the node is deleted.
      for (const { metadata } of pods) await fleet.cluster.client.delete(PODS, metadata, { gracePeriodSeconds: 0 });
      await write();
      return { mayNotKnow: false, lost: pods.map(({ status }) => status?.podIP ?? '') };
    },
  },
];

/** 20 changes of each object that the manager writes, all in parallel. */
async function stormOver({ cluster, namespace }: Fleet): Promise<void> {
  const kinds = [VIRTUAL_MACHINES, VIRTUAL_MACHINE_BMCS, IP_POOLS, IP_LEASES] as readonly Kind<KubeObject>[];
  for (const kind of kinds) {
    const { items } = await cluster.client.list(kind, { namespace });
    await Promise.all(
      // A machine is deleted meanwhile.
      items.map(({ metadata }) => unlessGone(() => startStorm(cluster.client, kind, metadata, 20).over)),
    );
  }
}

/** Stops the agent with this address as if its node had no power: it neither answers nor ends. */
function pauseAgentAt(address: string): void {
  const paused = descendantsOf(process.pid).filter(({ command }) => command.includes(` --bind-address ${address} `));
  expect(paused).toHaveLength(1);
  for (const { pid } of paused) process.kill(pid, 'SIGSTOP');
}

import { describe, expect, it } from 'vitest';
import { eventLogName } from '../../../api/index.ts';
import { CONFIG_MAPS } from '@groundcrew/controller-runtime';
import type { EventLog, LogEntry, Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from '../power/machine-scene.ts';
import type { TestMachine } from '../power/test-machine.ts';
import { stateAgents } from './state-agent.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' };

const { world, namespace, aMachine, anAgent: aServingAgent } = await machineScene();
const anAgent = stateAgents(world);

/** The log lines in the ConfigMap. */
async function linesOf(machine: TestMachine): Promise<string[]> {
  const log = await world.client.find(CONFIG_MAPS, { namespace, name: eventLogName(machine.bmc.name) });
  return (log?.data?.['log'] ?? '').split('\n').filter((line) => line !== '');
}

async function stored(machine: TestMachine, count: number): Promise<LogEntry[]> {
  return await eventually(async () => {
    const lines = await linesOf(machine);
    expect(lines).toHaveLength(count);
    return lines.map((line) => JSON.parse(line) as LogEntry);
  });
}

function told(log: EventLog): string[] {
  return log.entries().map(({ event }) => {
    if (event.kind === 'PowerState') return event.state;
    if (event.kind === 'PowerAction') return `${event.requester.user}: ${event.action} ${event.outcome}`;
    return event.kind;
  });
}

describe('the event log of a BMC', () => {
  it.concurrent('contains requests and their results, and no duplicates after a restart of the agent', async () => {
    const machine = await aMachine();
    const first = await aServingAgent(machine);
    await first.machine.power('On', requester);
    await machine.running();
    await expect(first.machine.power('DiagnosticInterrupt', requester)).rejects.toThrow();
    const expected = ['admin: On Accepted', 'On', 'admin: DiagnosticInterrupt Refused'];
    await eventually(() => {
      expect(told(first.machine.log).sort()).toEqual(expected.sort());
    });
    await stored(machine, 3);
    await first.kill();
    const next = await aServingAgent(machine);
    // It may serve before it has read the log.
    await eventually(() => {
      expect(told(next.machine.log).sort()).toEqual(expected);
    });
    await next.machine.power('ForceOff', requester);
    await machine.off();
    await eventually(() => {
      expect(told(next.machine.log).slice(3).sort()).toEqual(['Off', 'admin: ForceOff Accepted']);
    });
  });

  it.concurrent('contains the start and the end of a boot override', async () => {
    const machine = await aMachine();
    const agent = await aServingAgent(machine);
    await agent.machine.setBootOverride({ device: 'Pxe', persistence: 'Once' }, requester);
    await agent.machine.power('On', requester);
    await machine.running();
    await eventually(() => {
      expect(agent.machine.log.entries().map(({ event }) => event)).toEqual(
        expect.arrayContaining([
          { kind: 'BootOverride', target: 'once from the network', outcome: 'Accepted', requester },
          { kind: 'BootOverrideEnded', why: 'Booted' },
        ]),
      );
    });
  });

  it.concurrent('is written when the agent terminates', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    agent.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await agent.close();
    expect(await linesOf(machine)).toHaveLength(1);
  });

  it.concurrent('keeps the last 512 entries', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    for (let use = 0; use < 600; use += 1) agent.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    const entries = await stored(machine, 512);
    expect([entries[0]?.id, entries.at(-1)?.id]).toEqual([89, 600]);
    await agent.kill();
    const next = await anAgent(machine);
    expect(next.log.entries()).toHaveLength(512);
    expect(next.log.hasOverflowed).toBe(true);
  });

  it.concurrent('holds 512 entries with the longest texts that clients can send', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const text = '\u0001'.repeat(4096);
    for (let use = 0; use < 512; use += 1) {
      agent.log.append({
        kind: 'AccountChanged',
        account: text,
        requester: { ...requester, user: text, address: text },
      });
    }
    await stored(machine, 512);
  });

  it.concurrent('loses no entry when two agents overlap', async () => {
    const machine = await aMachine();
    const [one, other] = await Promise.all([anAgent(machine), anAgent(machine)]);
    for (let round = 0; round < 5; round += 1) {
      one.log.append({ kind: 'PowerState', state: 'On' });
      other.log.append({ kind: 'PowerState', state: 'Off' });
      await stored(machine, 2 * round + 2);
    }
    const entries = await stored(machine, 10);
    expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
    await eventually(() => {
      expect(one.log.entries()).toHaveLength(10);
      expect(one.log.entries()).toEqual(other.log.entries());
    });
  });

  it.concurrent('is read without loss after a manual edit', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    agent.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    const [line] = await stored(machine, 1).then(() => linesOf(machine));
    const ref = { namespace, name: eventLogName(machine.bmc.name) };
    await world.client.patch(CONFIG_MAPS, ref, 'merge', { data: { log: `Hello!\n${line ?? ''}\n` } });
    await eventually(async () => {
      expect((await world.client.get(CONFIG_MAPS, ref)).data?.['unreadable']).toBe('Hello!');
    });
    expect(await linesOf(machine)).toEqual([line]);
  });

  it.concurrent.each(['before', 'after'] as const)(
    'contains each entry once if the agent is killed %s a write',
    async (when) => {
      const machine = await aMachine();
      for (const writes of [0, 1, 2]) {
        const agent = await anAgent(machine);
        const before = await linesOf(machine);
        agent.transport.killAfter(writes, when, (method, path) => method !== 'GET' && path.includes('configmaps'));
        agent.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
        await eventually(async () => {
          if (!agent.transport.isDead) expect(await linesOf(machine)).toHaveLength(before.length + 1);
        });
        await agent.kill();
        const after = await linesOf(machine);
        expect(after.slice(0, before.length)).toEqual(before);
        expect(after.length - before.length).toBeLessThanOrEqual(1);
      }
      const ids = (await linesOf(machine)).map((line) => (JSON.parse(line) as { id: number }).id);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  it('keeps events during an outage of the API server and writes them afterwards', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    agent.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await stored(machine, 1);
    await world.outage.begin();
    const tried = agent.transport.traffic.writes;
    for (let use = 0; use < 5; use += 1) agent.log.append({ kind: 'Watchdog', action: 'None', use });
    await eventually(() => {
      expect(agent.transport.traffic.writes).toBeGreaterThan(tried);
    });
    expect(agent.log.entries()).toHaveLength(6);
    await world.outage.end();
    await stored(machine, 6);
  });
});

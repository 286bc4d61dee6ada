import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MemoryMachine } from '../testing/index.ts';
import type { Command } from './commands/command.ts';
import { COMMANDS } from './commands/command-list.ts';
import { CommandTable } from './commands/command-table.ts';
import { onlyReads } from './ipmi-messages.ts';
import { NET_FN, PRIVILEGE } from './message/codes.ts';
import type { BindContext } from './options.ts';
import { aRequest } from './testing/a-request.ts';
import { RmcpPlusClient } from './testing/rmcp-plus-client.ts';
import { commandBench } from './testing/run-command.ts';
import { CREDENTIALS, PEER, testBmc } from './testing/test-bmc.ts';

const GET_CHASSIS_STATUS = 0x01;
const CHASSIS_CONTROL = 0x02;
const POWER_UP = Buffer.of(1);
const DCMI = 0xdc;

/** Follows datagrams as an agent does: only what is bound is followed after the call. */
class Followed {
  readonly #later = new AsyncLocalStorage<string | undefined>();
  #now: string | undefined;

  get current(): string | undefined {
    return this.#now ?? this.#later.getStore();
  }

  handle<T>(name: string, work: () => T): T {
    this.#now = name;
    try {
      return work();
    } finally {
      this.#now = undefined;
    }
  }

  readonly bind: BindContext = (work) => {
    const name = this.current;
    return (...values) => this.#later.run(name, work, ...values);
  };
}

it('binds what goes on after the call to its datagram', async () => {
  const followed = new Followed();
  const told: [what: string | undefined, datagram: string | undefined][] = [];
  const machine = new MemoryMachine({ state: 'On' });
  machine.power = async () => {
    await setTimeout(1);
    told.push(['power', followed.current]);
  };
  const bmc = testBmc({
    machine,
    bind: followed.bind,
    observer: { commandCompleted: ({ name }) => void told.push([name, followed.current]) },
  });
  let datagram = 'log-in';
  const exchange = async (bytes: Buffer): Promise<Buffer | undefined> =>
    (await followed.handle(datagram, () => bmc.server.handle(bytes, PEER, bmc.now)))[0];
  const client = new RmcpPlusClient({ exchange, close: () => undefined });
  await client.login(CREDENTIALS);
  await client.setPrivilege(PRIVILEGE.administrator);
  told.length = 0;
  const send = async (name: string, command: number, data?: Buffer): Promise<void> => {
    datagram = name;
    await client.command(NET_FN.chassis, command, data);
  };
  await Promise.all([send('a', CHASSIS_CONTROL, POWER_UP), send('b', GET_CHASSIS_STATUS)]);
  await send('c', GET_CHASSIS_STATUS);
  machine.refresh = () => setTimeout(1);
  await send('d', GET_CHASSIS_STATUS);
  expect(told).toEqual([
    ['power', 'a'],
    ['Chassis Control', 'a'],
    ['Get Chassis Status', 'b'],
    ['Get Chassis Status', 'c'],
    ['Get Chassis Status', 'd'],
  ]);
});

it('has no command of the level User that waits, unless the state of the machine is too old', () => {
  const { bmc, session } = commandBench();
  const table = new CommandTable(COMMANDS);
  const unbound = COMMANDS.filter(onlyReads);
  const waits = (command: Command): boolean => {
    const [least, most] = command.requestLength;
    const lengths = Array.from({ length: Math.min(most - least, 20) + 1 }, (_, more) => least + more);
    return lengths.some((length) => {
      // The first byte of a group extension names DCMI.
      const data = Buffer.alloc(length, command.netFn === NET_FN.groupExtension ? DCMI : 0);
      const request = aRequest({ netFn: command.netFn, command: command.command, data });
      return table.execute(command, request, { bmc, session: session(), peer: PEER, now: 0 }) instanceof Promise;
    });
  };
  expect(unbound.length).toBeGreaterThan(20);
  expect(unbound.filter(waits).map(({ name }) => name)).toEqual([]);
  const control = COMMANDS.find(({ command, netFn }) => netFn === NET_FN.chassis && command === CHASSIS_CONTROL);
  expect(control !== undefined && waits(control)).toBe(true);
});

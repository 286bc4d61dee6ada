import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MemoryMachine } from '../testing/index.ts';
import { COMMANDS } from './commands/command-list.ts';
import { NET_FN, PRIVILEGE } from './message/codes.ts';
import type { BindContext } from './options.ts';
import { RmcpPlusClient } from './testing/rmcp-plus-client.ts';
import { CREDENTIALS, PEER, testBmc } from './testing/test-bmc.ts';

const GET_CHASSIS_STATUS = 0x01;
const CHASSIS_CONTROL = 0x02;
const POWER_UP = Buffer.of(1);

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

it('has no command of the level User that waits, other than for the state of the machine', () => {
  const unbound = COMMANDS.filter(({ privilege, repeatable }) => privilege === PRIVILEGE.user && repeatable);
  expect(unbound.length).toBeGreaterThan(20);
  const waiting = unbound.filter((command) => command.handle.constructor.name !== 'Function');
  expect(waiting.map(({ name }) => name)).toEqual([]);
});

import { describe, expect, it, vi } from 'vitest';
import { MachineError } from '../../../machine/index.ts';
import { MemoryMachine, MemorySettings } from '../../../testing/index.ts';
import { Watchdog } from './watchdog.ts';

const ADMIN = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;
const BY_WATCHDOG = { protocol: 'IPMI', user: 'the watchdog that was armed by admin', address: '192.0.2.7' };

/** A watchdog that is looked at each second, and its machine. */
class Scene {
  now = 0;
  /** ms since 1970 */
  wall = 0;
  acts = true;
  readonly machine = new MemoryMachine({ state: 'On' });
  readonly settings = new MemorySettings();
  readonly cleared: string[] = [];
  writes = 0;
  /** What is stored is told as stored only after this. */
  gate = Promise.resolve();
  watchdog = this.#start();

  /** 30 s: `04 01 00 00 2c 01` is an SMS/OS watchdog that resets. */
  async arm(request = '040100002c01'): Promise<void> {
    await this.watchdog.set(Buffer.from(request, 'hex'), ADMIN, this.now);
    await this.watchdog.start(ADMIN, this.now);
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.now += 1_000;
      await this.watchdog.tick(this.now);
    }
  }

  read(): string {
    return this.watchdog.read(this.now).toString('hex');
  }

  /** What comes after a crash, with a clock of its own. */
  restart(): void {
    this.now = 0;
    this.watchdog = this.#start();
    this.read();
  }

  #start(): Watchdog {
    return new Watchdog({
      machine: this.machine,
      settings: {
        current: () => this.settings.current(),
        change: async (change) => {
          await this.settings.change(change);
          await this.gate;
          this.writes += 1;
        },
      },
      time: () => this.wall,
      acts: () => this.acts,
      beforeBoot: ({ user }) => Promise.resolve(void this.cleared.push(user)),
    });
  }
}

describe('a watchdog', () => {
  it.each([
    ['00', undefined],
    ['01', 'ForceRestart'],
    ['02', 'ForceOff'],
    ['03', 'PowerCycle'],
  ])('with action %s asks once for %s when its time is over, and says who armed it', async (action, asked) => {
    const scene = new Scene();
    await scene.arm(`04${action}00002c01`);
    await scene.pass(29);
    expect(scene.machine.calls).toEqual([]);
    expect(scene.read()).toBe(`44${action}00002c010a00`);
    await scene.pass(60);
    const calls = asked === undefined ? [] : [{ kind: 'power', action: asked, requester: BY_WATCHDOG }];
    expect(scene.machine.calls).toEqual(calls);
    expect(scene.read()).toBe(`04${action}00102c010000`);
  });

  it('writes into the log what it did, unless it is told not to', async () => {
    const scene = new Scene();
    await scene.arm();
    await scene.pass(30);
    const { log } = scene.machine;
    expect(log.entries().map(({ event }) => event)).toEqual([{ kind: 'Watchdog', action: 'Reset', use: 4 }]);
    await scene.arm('840100002c01');
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart', 'ForceRestart']);
    expect(log.entries()).toHaveLength(1);
  });

  it('begins anew whenever it is reset, which writes nothing', async () => {
    const scene = new Scene();
    await scene.arm();
    const { writes } = scene;
    for (let ping = 0; ping < 10; ping += 1) {
      await scene.pass(29);
      await scene.watchdog.start(ADMIN, scene.now);
    }
    expect(scene.machine.calls).toEqual([]);
    expect(scene.writes).toBe(writes);
  });

  it('is stopped by a setting, unless that says that it goes on', async () => {
    const scene = new Scene();
    await scene.arm();
    await scene.pass(20);
    await scene.watchdog.set(Buffer.from('440100006400', 'hex'), ADMIN, scene.now);
    expect(scene.read()).toBe('4401000064006400');
    await scene.watchdog.set(Buffer.from('040100006400', 'hex'), ADMIN, scene.now);
    expect(scene.read()).toBe('0401000064006400');
    await scene.pass(60);
    expect(scene.machine.calls).toEqual([]);
  });

  it('keeps the flag of each use whose time was over until it is cleared', async () => {
    const scene = new Scene();
    for (const use of ['01', '02', '05']) {
      await scene.arm(`${use}0000000a00`);
      await scene.pass(1);
    }
    expect(scene.read().slice(6, 8)).toBe('26');
    await scene.watchdog.set(Buffer.from('040000240a00', 'hex'), ADMIN, scene.now);
    expect(scene.read().slice(6, 8)).toBe('02');
  });

  it('refuses to start before it was set', async () => {
    const scene = new Scene();
    expect(await scene.watchdog.start(ADMIN, 0)).toBe(false);
    expect(scene.read()).toBe('0000000000000000');
  });
});

describe('a machine that is not on', () => {
  it('stops the watchdog, so that its next boot is not reset', async () => {
    const scene = new Scene();
    await scene.arm();
    scene.machine.state = 'Off';
    await scene.pass(2);
    scene.machine.state = 'On';
    await scene.pass(60);
    expect(scene.machine.calls).toEqual([]);
    expect(scene.settings.current().watchdog?.isRunning).toBe(false);
  });

  it.each(['ForceOff', 'PowerCycle', 'ForceRestart'] as const)(
    'stops it likewise where a client asked for %s',
    async (action) => {
      const scene = new Scene();
      await scene.arm();
      scene.machine.log.append({ kind: 'PowerAction', action, outcome: 'Refused', requester: ADMIN });
      await scene.pass(10);
      expect(scene.settings.current().watchdog?.isRunning).toBe(true);
      scene.machine.log.append({ kind: 'PowerAction', action, outcome: 'Accepted', requester: ADMIN });
      await scene.pass(60);
      expect(scene.machine.calls).toEqual([]);
      expect(scene.settings.current().watchdog?.isRunning).toBe(false);
    },
  );

  it('does not stop one that watches over a boot', async () => {
    const scene = new Scene();
    await scene.arm('020100002c01');
    scene.machine.log.append({ kind: 'PowerAction', action: 'ForceRestart', outcome: 'Accepted', requester: ADMIN });
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });

  it('stops nothing where its state is not known', async () => {
    const scene = new Scene();
    await scene.arm();
    scene.machine.stateError = new MachineError('Unavailable', 'no API');
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });
});

describe('an action that the machine does not take', () => {
  it('is asked for again after 5 s, as long as the machine may take it yet', async () => {
    const scene = new Scene();
    await scene.arm();
    scene.machine.nextError = new MachineError('Busy', 'migrating');
    await scene.pass(29);
    await expect(scene.pass(1)).rejects.toThrow('migrating');
    await scene.pass(4);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
    await scene.pass(60);
    expect(scene.machine.powerActions).toEqual(['ForceRestart', 'ForceRestart']);
    expect(scene.machine.log.entries()).toHaveLength(1);
  });

  it('is left where the machine will never take it', async () => {
    const scene = new Scene();
    await scene.arm();
    scene.machine.nextError = new MachineError('InvalidState', 'it is off');
    await expect(scene.pass(30)).rejects.toThrow('it is off');
    await scene.pass(60);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });

  it('is called off by a client who sets the watchdog meanwhile', async () => {
    const scene = new Scene();
    await scene.arm();
    scene.machine.nextError = new MachineError('Unavailable', 'no API');
    await expect(scene.pass(30)).rejects.toThrow('no API');
    await scene.watchdog.set(Buffer.from('040100002c01', 'hex'), ADMIN, scene.now);
    await scene.pass(60);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });
});

it('has nothing left of its time where its end is seen in what is stored before that is told as stored', async () => {
  const scene = new Scene();
  await scene.arm();
  await scene.pass(29);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  scene.gate = promise.then(() => undefined);
  const last = scene.pass(1);
  await vi.waitFor(() => {
    expect(scene.settings.current().watchdog).toMatchObject({ isRunning: false });
  });
  expect(scene.read()).toBe('040100102c010000');
  resolve(undefined);
  await last;
  expect(scene.read()).toBe('040100102c010000');
});

it('gives way to what another process has stored while its action could not be carried out', async () => {
  const scene = new Scene();
  await scene.arm();
  scene.machine.nextError = new MachineError('Unavailable', 'no API');
  await expect(scene.pass(30)).rejects.toThrow('no API');
  const watchdog = { timer: '040300002c01', isRunning: true, expired: 0, user: 'admin', address: '192.0.2.7' };
  await scene.settings.change(() => ({ watchdog }));
  await scene.pass(30);
  expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  await scene.pass(1);
  expect(scene.machine.powerActions).toEqual(['ForceRestart', 'PowerCycle']);
});

describe('an armed watchdog whose process ends', () => {
  it('is armed in the next, for all of its time', async () => {
    const scene = new Scene();
    await scene.arm();
    await scene.pass(25);
    scene.restart();
    await scene.pass(29);
    expect(scene.machine.calls).toEqual([]);
    await scene.pass(1);
    expect(scene.machine.calls).toEqual([{ kind: 'power', action: 'ForceRestart', requester: BY_WATCHDOG }]);
  });

  it('is not armed any more where its action was carried out', async () => {
    const scene = new Scene();
    await scene.arm();
    await scene.pass(30);
    scene.restart();
    await scene.pass(60);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
    expect(scene.read()).toBe('040100102c012c01');
  });

  it('has its action carried out by the next where it could not be', async () => {
    const scene = new Scene();
    await scene.arm();
    scene.machine.nextError = new MachineError('Unavailable', 'no API');
    await expect(scene.pass(30)).rejects.toThrow('no API');
    scene.restart();
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart', 'ForceRestart']);
  });

  it('does nothing in a process that does not act, and has all of its time in the one that does then', async () => {
    const scene = new Scene();
    await scene.arm();
    scene.restart();
    scene.acts = false;
    await scene.pass(100);
    expect(scene.read()).toBe('440100002c012c01');
    scene.acts = true;
    await scene.pass(29);
    expect(scene.machine.calls).toEqual([]);
    await scene.pass(1);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });

  it('is not stopped by what was asked before, in a process that reads the log later than the timer', async () => {
    const scene = new Scene();
    scene.machine.log.append({ kind: 'PowerAction', action: 'PowerCycle', outcome: 'Accepted', requester: ADMIN });
    scene.wall = 1;
    await scene.arm();
    vi.spyOn(scene.machine.log, 'entries').mockReturnValueOnce([]);
    scene.restart();
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });

  it('is set by nobody where that cannot be stored', async () => {
    const scene = new Scene();
    scene.settings.nextError = new MachineError('Unavailable', 'no API');
    await expect(scene.arm()).rejects.toThrow('no API');
    expect(scene.read()).toBe('0000000000000000');
  });

  it('has nothing of the boot flags for one boot left where it boots the machine', async () => {
    const scene = new Scene();
    await scene.arm();
    await scene.pass(30);
    await scene.arm('040200002c01');
    await scene.pass(30);
    expect(scene.cleared).toEqual([BY_WATCHDOG.user]);
  });
});

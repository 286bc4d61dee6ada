import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MachineError } from '../../../machine/index.ts';
import { MemoryMachine, MemorySettings } from '../../../testing/index.ts';
import { Watchdog } from './watchdog.ts';

const ADMIN = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;
const BY_WATCHDOG = { protocol: 'IPMI', user: 'the watchdog that was armed by admin', address: '192.0.2.7' };

/** A watchdog with one tick per second, and its machine. */
class Scene {
  now = 0;
  /** ms since 1970 */
  wall = 0;
  acts = true;
  readonly machine = new MemoryMachine({ state: 'On' });
  readonly settings = new MemorySettings();
  readonly cleared: string[] = [];
  writes = 0;
  /** Writes are confirmed only after this promise resolves. */
  gate = Promise.resolve();
  watchdog = this.#start();

  /** 30 s: `04 01 00 00 2c 01` is an SMS/OS watchdog with a reset. */
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

  /** Simulates a new process after a crash, with its own clock. */
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

let scene: Scene;

beforeEach(() => {
  scene = new Scene();
});

describe('the watchdog', () => {
  it.each([
    ['00', undefined],
    ['01', 'ForceRestart'],
    ['02', 'ForceOff'],
    ['03', 'PowerCycle'],
  ])('with action %s requests %s once at its timeout, with the user that armed it', async (action, asked) => {
    await scene.arm(`04${action}00002c01`);
    await scene.pass(29);
    expect(scene.machine.calls).toEqual([]);
    expect(scene.read()).toBe(`44${action}00002c010a00`);
    await scene.pass(60);
    const calls = asked === undefined ? [] : [{ kind: 'power', action: asked, requester: BY_WATCHDOG }];
    expect(scene.machine.calls).toEqual(calls);
    expect(scene.read()).toBe(`04${action}00102c010000`);
  });

  it('logs its action unless logging is disabled', async () => {
    await scene.arm();
    await scene.pass(30);
    const { log } = scene.machine;
    expect(log.entries().map(({ event }) => event)).toEqual([{ kind: 'Watchdog', action: 'Reset', use: 4 }]);
    await scene.arm('840100002c01');
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart', 'ForceRestart']);
    expect(log.entries()).toHaveLength(1);
  });

  it('restarts the countdown at a reset without a write', async () => {
    await scene.arm();
    const { writes } = scene;
    for (let ping = 0; ping < 10; ping += 1) {
      await scene.pass(29);
      await scene.watchdog.start(ADMIN, scene.now);
    }
    expect(scene.machine.calls).toEqual([]);
    expect(scene.writes).toBe(writes);
  });

  it('is stopped by a new setting unless that keeps it running', async () => {
    await scene.arm();
    await scene.pass(20);
    await scene.watchdog.set(Buffer.from('440100006400', 'hex'), ADMIN, scene.now);
    expect(scene.read()).toBe('4401000064006400');
    await scene.watchdog.set(Buffer.from('040100006400', 'hex'), ADMIN, scene.now);
    expect(scene.read()).toBe('0401000064006400');
    await scene.pass(60);
    expect(scene.machine.calls).toEqual([]);
  });

  it('keeps the expiration flag of each use until it is cleared', async () => {
    for (const use of ['01', '02', '05']) {
      await scene.arm(`${use}0000000a00`);
      await scene.pass(1);
    }
    expect(scene.read().slice(6, 8)).toBe('26');
    await scene.watchdog.set(Buffer.from('040000240a00', 'hex'), ADMIN, scene.now);
    expect(scene.read().slice(6, 8)).toBe('02');
  });

  it('refuses to start before it is set', async () => {
    expect(await scene.watchdog.start(ADMIN, 0)).toBe(false);
    expect(scene.read()).toBe('0000000000000000');
  });
});

describe('the watchdog of a machine that is not on', () => {
  it('stops, so that the next boot is not reset', async () => {
    await scene.arm();
    scene.machine.state = 'Off';
    await scene.pass(2);
    scene.machine.state = 'On';
    await scene.pass(60);
    expect(scene.machine.calls).toEqual([]);
    expect(scene.settings.current().watchdog?.isRunning).toBe(false);
  });

  it.each(['ForceOff', 'PowerCycle', 'ForceRestart'] as const)("stops after a client's %s", async (action) => {
    await scene.arm();
    scene.machine.log.append({ kind: 'PowerAction', action, outcome: 'Refused', requester: ADMIN });
    await scene.pass(10);
    expect(scene.settings.current().watchdog?.isRunning).toBe(true);
    scene.machine.log.append({ kind: 'PowerAction', action, outcome: 'Accepted', requester: ADMIN });
    await scene.pass(60);
    expect(scene.machine.calls).toEqual([]);
    expect(scene.settings.current().watchdog?.isRunning).toBe(false);
  });

  it('continues if its use is a boot phase', async () => {
    await scene.arm('020100002c01');
    scene.machine.log.append({ kind: 'PowerAction', action: 'ForceRestart', outcome: 'Accepted', requester: ADMIN });
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });

  it("continues if the machine's state is unknown", async () => {
    await scene.arm();
    scene.machine.stateError = new MachineError('Unavailable', 'no API');
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });
});

describe('an action that the machine rejects', () => {
  it('is retried after 5 s while it may still succeed', async () => {
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

  it('is not retried if it can never succeed', async () => {
    await scene.arm();
    scene.machine.nextError = new MachineError('InvalidState', 'it is off');
    await expect(scene.pass(30)).rejects.toThrow('it is off');
    await scene.pass(60);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });

  it('is cancelled if a client sets the watchdog', async () => {
    await scene.arm();
    scene.machine.nextError = new MachineError('Unavailable', 'no API');
    await expect(scene.pass(30)).rejects.toThrow('no API');
    await scene.watchdog.set(Buffer.from('040100002c01', 'hex'), ADMIN, scene.now);
    await scene.pass(60);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });
});

it('the watchdog does not restart the countdown if its own stored expiry is visible before the write is confirmed', async () => {
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

it('the watchdog adopts the state stored by another process while its action is pending', async () => {
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

describe('an armed watchdog after a process restart', () => {
  it('is armed with the full countdown', async () => {
    await scene.arm();
    await scene.pass(25);
    scene.restart();
    await scene.pass(29);
    expect(scene.machine.calls).toEqual([]);
    await scene.pass(1);
    expect(scene.machine.calls).toEqual([{ kind: 'power', action: 'ForceRestart', requester: BY_WATCHDOG }]);
  });

  it('is not armed if its action was executed', async () => {
    await scene.arm();
    await scene.pass(30);
    scene.restart();
    await scene.pass(60);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
    expect(scene.read()).toBe('040100102c012c01');
  });

  it('executes a pending action', async () => {
    await scene.arm();
    scene.machine.nextError = new MachineError('Unavailable', 'no API');
    await expect(scene.pass(30)).rejects.toThrow('no API');
    scene.restart();
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart', 'ForceRestart']);
  });

  it('does nothing in a process that does not act, and gets the full countdown when the process starts to act', async () => {
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

  it('is not stopped by older requests if a process reads the log later than the timer', async () => {
    scene.machine.log.append({ kind: 'PowerAction', action: 'PowerCycle', outcome: 'Accepted', requester: ADMIN });
    scene.wall = 1;
    await scene.arm();
    vi.spyOn(scene.machine.log, 'entries').mockReturnValueOnce([]);
    scene.restart();
    await scene.pass(30);
    expect(scene.machine.powerActions).toEqual(['ForceRestart']);
  });

  it('is not set if the setting cannot be stored', async () => {
    scene.settings.nextError = new MachineError('Unavailable', 'no API');
    await expect(scene.arm()).rejects.toThrow('no API');
    expect(scene.read()).toBe('0000000000000000');
  });

  it('clears one-time boot flags before it boots the machine', async () => {
    await scene.arm();
    await scene.pass(30);
    await scene.arm('040200002c01');
    await scene.pass(30);
    expect(scene.cleared).toEqual([BY_WATCHDOG.user]);
  });
});

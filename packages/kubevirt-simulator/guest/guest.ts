import { bootMessages, bootScript, kernelStart, networkStart } from './boot.ts';
import type { Action } from './commands.ts';
import { systemDriveOf, type Machine } from './machine.ts';
import type { Network } from './network.ts';
import { panicScript, shutdownScript, stamped, type Script } from './script.ts';
import { Terminal } from './terminal.ts';

export interface GuestOptions {
  machine: Machine;
  network: Network;
  /** Milliseconds from power on to the login prompt. */
  bootTime: number;
  /** Milliseconds from the wish to shut down to the end. */
  shutdownTime: number;
}

/** How a guest ended by itself. */
export type Fate = 'PoweredOff' | 'Crashed';

/** What came over the serial port, one character for each byte, and how the guest ended where it did. */
export interface Output {
  text: string;
  fate?: Fate;
}

/**
 * What runs in a virtual machine, as its serial port shows it: firmware, boot loader, a kernel's log, a login and a
 * small shell. It is all state: what happens by itself is worked out from the time when somebody asks, so that a
 * guest nobody looks at costs nothing. Times are milliseconds, and must not go back.
 */
export class Guest {
  /** As it is now; drives may change while it runs. */
  machine: Machine;
  readonly #options: GuestOptions;
  /** In the guest's own time, which stands still while it is paused. */
  #bootedAt: number;
  #boots = 0;
  #isPaused = false;
  #isHeld = false;
  /** Since when its own time stands still, if it does. */
  #stillSince: number | undefined;
  /** How far the guest's own time is behind. */
  #lag = 0;
  /** What it is doing by itself, since when, and how many lines of it have been written. */
  #performance: { script: Script | 'boot'; start: number; written: number } | undefined;
  /** Of the latest boot that was looked at. */
  #bootScript: Script | undefined;
  /** There when somebody can log in. */
  #terminal: Terminal | undefined;
  #isOff = false;

  /** Powered on at `now`. */
  constructor(options: GuestOptions, now: number) {
    this.#options = options;
    this.machine = options.machine;
    this.#bootedAt = now;
    this.#perform('boot', now);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** How often it has begun to boot, as far as it has been read. */
  get boots(): number {
    return this.#boots;
  }

  /** When the system that this boot loads brings its network up; undefined where it loads none, or time stands still. */
  get networkAt(): number | undefined {
    if (this.#isOff || this.#stillSince !== undefined || systemDriveOf(this.machine) === undefined) return undefined;
    return this.#bootedAt + networkStart(this.machine, this.#options.bootTime) + this.#lag;
  }

  /** What it has written until `now` and since it was last asked: by `read`, or by anything that is done to it. */
  read(now: number): Output {
    const time = this.#timeAt(now);
    let text = '';
    for (;;) {
      const current = this.#current();
      if (current === undefined) return { text };
      const { script, start } = current;
      let line = script.lines[current.written];
      for (; line !== undefined && start + line.at <= time; line = script.lines[current.written]) {
        text += line.text;
        current.written += 1;
      }
      if (line !== undefined || start + script.duration > time) return { text };
      const fate = this.#finish(script, start + script.duration);
      if (fate !== undefined) return { text, fate };
    }
  }

  /** Somebody types; what nothing waits for is lost, and so is what is typed while it is paused. */
  type(bytes: string, now: number): Output {
    const before = this.read(now);
    if (this.#terminal === undefined || this.isPaused) return before;
    const time = this.#timeAt(now);
    const { text, action } = this.#terminal.type(bytes, {
      machine: this.machine,
      messages: () => bootMessages(this.machine, this.#options.bootTime),
      network: this.#options.network,
    });
    if (action !== undefined) this.#act(action, time);
    const after = this.read(now);
    return { ...after, text: before.text + text + after.text };
  }

  /** ACPI: a system that is up shuts down; nothing else takes notice. */
  pressPowerButton(outcome: 'powerOff' | 'reboot', now: number): Output {
    const before = this.read(now);
    if (this.#terminal !== undefined) this.#shutDown(outcome, true, this.#timeAt(now));
    return before;
  }

  /** It boots anew at once, paused or not. */
  reset(now: number): Output {
    const before = this.read(now);
    if (!this.#isOff) this.#perform('boot', this.#timeAt(now));
    return before;
  }

  pause(now: number): Output {
    const before = this.read(now);
    this.#isPaused = true;
    this.#stillSince ??= now;
    return before;
  }

  unpause(now: number): void {
    this.#isPaused = false;
    this.#goOn(now);
  }

  /**
   * The firmware of a boot that tries the network first has had its answers, for which it waits: its own time stands
   * still from the start of such a boot.
   */
  release(now: number): void {
    this.#isHeld = false;
    // What it says of the network is known only now.
    if (this.#performance !== undefined && this.#performance.script === this.#bootScript)
      this.#performance = { ...this.#performance, script: 'boot' };
    this.#goOn(now);
  }

  /** The system that it boots says something of itself; once it is up such lines go to its journal alone. */
  say(text: string, now: number): Output {
    const before = this.read(now);
    if (this.#performance?.script !== this.#bootScript || this.#bootScript === undefined) return before;
    return { ...before, text: `${before.text}${stamped(this.#uptime(this.#timeAt(now)), text)}\r\n` };
  }

  /**
   * When `read` has something new: at the next line for somebody who watches, else at the next thing that others than
   * a watcher notice. Undefined: not before something is done to it.
   *
   * @param isPluggedIn others notice that it boots
   */
  wakeAt(watched: boolean, isPluggedIn = false): number | undefined {
    if (this.#stillSince !== undefined || (!watched && this.#performance?.script === 'boot')) return undefined;
    const current = this.#current();
    if (current === undefined) return undefined;
    const { script, start, written } = current;
    const line = watched ? script.lines[written] : undefined;
    if (line !== undefined) return start + line.at + this.#lag;
    const { outcome } = script;
    const isNoticed = watched || outcome === 'powerOff' || outcome === 'crash' || (isPluggedIn && outcome === 'reboot');
    return isNoticed ? start + script.duration + this.#lag : undefined;
  }

  #timeAt(now: number): number {
    return (this.#stillSince ?? now) - this.#lag;
  }

  #goOn(now: number): void {
    if (this.#stillSince === undefined || this.#isPaused || this.#isHeld) return;
    this.#lag += now - this.#stillSince;
    this.#stillSince = undefined;
  }

  #uptime(time: number): number {
    return Math.max(0, time - this.#bootedAt - kernelStart(this.machine, this.#options.bootTime));
  }

  /** A boot's lines are not worked out before somebody wants them: most guests boot unseen. */
  #current(): { script: Script; start: number; written: number } | undefined {
    const current = this.#performance;
    if (current === undefined) return undefined;
    const { machine } = this;
    const { network, bootTime } = this.#options;
    const script =
      current.script === 'boot' ? (this.#bootScript = bootScript(machine, network, bootTime)) : current.script;
    return (this.#performance = Object.assign(current, { script }));
  }

  #perform(script: Script | 'boot', start: number): void {
    if (script === 'boot') {
      this.#bootedAt = start;
      this.#boots += 1;
      this.#isHeld = this.#options.network.isAwaited(this.machine);
      if (this.#isHeld) this.#stillSince ??= start + this.#lag;
    }
    this.#terminal = undefined;
    this.#performance = { script, start, written: 0 };
  }

  #finish({ outcome }: Script, time: number): Fate | undefined {
    this.#performance = undefined;
    if (outcome === 'login') this.#terminal = new Terminal();
    else if (outcome === 'reboot') this.#perform('boot', time);
    else if (outcome !== 'stuck') {
      this.#isOff = true;
      return outcome === 'powerOff' ? 'PoweredOff' : 'Crashed';
    }
    return undefined;
  }

  #act(action: Action, time: number): void {
    const uptime = this.#uptime(time);
    if (action === 'crash') this.#perform(panicScript(uptime), time);
    else this.#shutDown(action, false, time);
  }

  #shutDown(outcome: 'powerOff' | 'reboot', button: boolean, time: number): void {
    const duration = this.#options.shutdownTime;
    this.#perform(shutdownScript({ outcome, button, uptime: this.#uptime(time), duration }), time);
  }
}

import { bootMessages, bootScript, kernelStart, networkStart } from './boot.ts';
import { systemDriveOf, type Machine } from './machine.ts';
import type { Network } from './network.ts';
import { panicScript, shutdownScript, stamped, type Script } from './script.ts';
import { Terminal, type Action } from './terminal.ts';

export interface GuestOptions {
  machine: Machine;
  network: Network;
  /** Milliseconds from power on to the login prompt. */
  bootTime: number;
  /** Milliseconds from the start of a shutdown to its end. */
  shutdownTime: number;
}

/** The end of a guest from inside. */
export type Fate = 'PoweredOff' | 'Crashed';

/** Output, one character for each byte, and the guest's end, if it has ended. */
export interface Output {
  /** Of the serial port. */
  text: string;
  /** Of the screen: that of the serial port, and what is only there. */
  screen: string;
  fate?: Fate;
}

/**
 * The software in a virtual machine as its serial port and its screen show it: firmware, boot loader, kernel log, login and commands.
 * The output is computed from the time when it is read, so that an unwatched guest needs no timer. Times are
 * milliseconds and must not decrease.
 */
export class Guest {
  /** Drives may change while the guest runs. */
  machine: Machine;
  readonly #options: GuestOptions;
  /** In guest time, which stops during a pause. */
  #bootedAt: number;
  #boots = 0;
  #isPaused = false;
  #isHeld = false;
  /** When guest time was stopped. */
  #stillSince: number | undefined;
  /** Difference between real time and guest time. */
  #lag = 0;
  /** The current script, its start, and the number of lines that were read. */
  #performance: { script: Script | 'boot'; start: number; written: number } | undefined;
  /** Script of the latest boot. */
  #bootScript: Script | undefined;
  /** Set when the login prompt is shown. */
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

  /** Number of boots, as far as the output was read. */
  get boots(): number {
    return this.#boots;
  }

  /** When the system configures its network; undefined without a system or while time is stopped. */
  get networkAt(): number | undefined {
    if (this.#isOff || this.#stillSince !== undefined || systemDriveOf(this.machine) === undefined) return undefined;
    return this.#bootedAt + networkStart(this.#options.bootTime) + this.#lag;
  }

  /** The output since the last call of a method that returns output. */
  read(now: number): Output {
    const time = this.#timeAt(now);
    let text = '';
    let screen = '';
    for (;;) {
      const current = this.#current();
      if (current === undefined) return { text, screen };
      const { script, start } = current;
      let line = script.lines[current.written];
      for (; line !== undefined && start + line.at <= time; line = script.lines[current.written]) {
        if (line.only !== 'screen') text += line.text;
        screen += line.text;
        current.written += 1;
      }
      if (line !== undefined || start + script.duration > time) return { text, screen };
      const fate = this.#finish(script, start + script.duration);
      if (fate !== undefined) return { text, screen, fate };
    }
  }

  /** Input; it is lost before the login prompt and during a pause. */
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
    return { ...after, text: before.text + text + after.text, screen: before.screen + text + after.screen };
  }

  /** Ctrl-Alt-Del: a system at the login prompt or a shell reboots, and a firmware or a boot starts again. */
  pressControlAltDelete(now: number): Output {
    const before = this.read(now);
    if (this.isPaused || this.#isOff) return before;
    const script = this.#performance?.script;
    if (this.#terminal !== undefined) this.#shutDown('reboot', false, this.#timeAt(now));
    else if (script === undefined || script === this.#bootScript) this.#perform('boot', this.#timeAt(now));
    return before;
  }

  /** ACPI power button: a system at the login prompt or a shell shuts down; otherwise it has no effect. */
  pressPowerButton(outcome: 'powerOff' | 'reboot', now: number): Output {
    const before = this.read(now);
    if (this.#terminal !== undefined) this.#shutDown(outcome, true, this.#timeAt(now));
    return before;
  }

  /** Boots again at once, also during a pause. */
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
    this.#continue(now);
  }

  /** Ends the wait of the firmware for the network, during which guest time is stopped. */
  release(now: number): void {
    this.#isHeld = false;
    // The lines about the network are known now.
    if (this.#performance !== undefined && this.#performance.script === this.#bootScript)
      this.#performance = { ...this.#performance, script: 'boot' };
    this.#continue(now);
  }

  /** Adds a kernel line during a boot; later such lines are not on the serial port. */
  say(text: string, now: number): Output {
    const before = this.read(now);
    if (this.#performance?.script !== this.#bootScript || this.#bootScript === undefined) return before;
    const line = `${stamped(this.#uptime(this.#timeAt(now)), text)}\r\n`;
    return { ...before, text: before.text + line, screen: before.screen + line };
  }

  /**
   * The time of the next output: the next line if the guest is watched, else the next end or, if it has cards on
   * networks, the next boot. Undefined if nothing happens without input.
   */
  wakeAt(watched: boolean, hasNetwork = false): number | undefined {
    if (this.#stillSince !== undefined || (!watched && this.#performance?.script === 'boot')) return undefined;
    const current = this.#current();
    if (current === undefined) return undefined;
    const { script, start, written } = current;
    const line = watched ? script.lines[written] : undefined;
    if (line !== undefined) return start + line.at + this.#lag;
    const { outcome } = script;
    const isNoticed = watched || outcome === 'powerOff' || outcome === 'crash' || (hasNetwork && outcome === 'reboot');
    return isNoticed ? start + script.duration + this.#lag : undefined;
  }

  #timeAt(now: number): number {
    return (this.#stillSince ?? now) - this.#lag;
  }

  #continue(now: number): void {
    if (this.#stillSince === undefined || this.#isPaused || this.#isHeld) return;
    this.#lag += now - this.#stillSince;
    this.#stillSince = undefined;
  }

  #uptime(time: number): number {
    return Math.max(0, time - this.#bootedAt - kernelStart(this.#options.bootTime));
  }

  /** The lines of a boot are computed on demand: most guests boot unwatched. */
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

import type { InputKind } from './viewer-stream.ts';

/** Maximum keys that are remembered of a viewer; a keyboard has fewer. */
const MOST_KEYS = 256;

/**
 * What an input does. `Press`: a key or another button goes down. `Release`: one goes up that the machine holds pressed, and none goes
 * down.
 */
export type InputEffect = 'Press' | 'Release' | 'None';

/** The keys and buttons that the machine holds pressed for a viewer: without their release it would keep them pressed. */
export class PressedKeys {
  /** Releases, by message without the down flag. */
  readonly #keys = new Map<string, Buffer>();
  /** The last PointerEvent, if it has a pressed button. */
  #pointer: Buffer | undefined;

  effectOf(message: Buffer, kind: InputKind): InputEffect {
    if (kind === 'CutText') return 'None';
    if (kind === 'Pointer') {
      const [before, now] = [buttonsIn(this.#pointer), buttonsIn(message)];
      if ((now & ~before) !== 0) return 'Press';
      return now === before ? 'None' : 'Release';
    }
    if (isDown(message, kind)) return 'Press';
    return this.#keys.has(nameOf(releaseOf(message, kind))) ? 'Release' : 'None';
  }

  /** The machine gets the input. */
  note(message: Buffer, kind: InputKind): void {
    if (kind === 'CutText') return;
    if (kind === 'Pointer') {
      this.#pointer = buttonsIn(message) === 0 ? undefined : Buffer.from(message);
      return;
    }
    const release = releaseOf(message, kind);
    const name = nameOf(release);
    if (!isDown(message, kind)) this.#keys.delete(name);
    else if (this.#keys.size < MOST_KEYS) this.#keys.set(name, release);
  }

  /** What releases all of it, once; the buttons at the pointer's last position. */
  release(): Buffer[] {
    const releases = [...this.#keys.values()];
    this.#pointer?.fill(0, 1, 2);
    if (this.#pointer !== undefined) releases.push(this.#pointer);
    this.#keys.clear();
    this.#pointer = undefined;
    return releases;
  }
}

/** PointerEvent: type, buttons, x, y (RFC 6143 §7.5.5). */
function buttonsIn(pointer: Buffer | undefined): number {
  return pointer?.[1] ?? 0;
}

/** KeyEvent: type, down, padding, keysym (§7.5.4). QEMU's: type, 0, down (16 bits), keysym, key code. */
function isDown(message: Buffer, kind: 'Key' | 'ExtendedKey'): boolean {
  return kind === 'Key' ? message[1] !== 0 : message.readUInt16BE(2) !== 0;
}

function releaseOf(message: Buffer, kind: 'Key' | 'ExtendedKey'): Buffer {
  return Buffer.from(message).fill(0, kind === 'Key' ? 1 : 2, 4);
}

function nameOf(release: Buffer): string {
  return release.toString('latin1');
}

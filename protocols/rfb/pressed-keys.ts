import type { InputKind } from './viewer-stream.ts';

/** Maximum keys that are remembered of a viewer; a keyboard has fewer. */
const MOST_KEYS = 256;

/** The keys and buttons that a viewer holds, so that they can be released when it is gone: the machine would keep them pressed. */
export class PressedKeys {
  /** Releases, by message without the down flag. */
  readonly #keys = new Map<string, Buffer>();
  /** The release of the buttons, at the pointer's last position. */
  #buttons: Buffer | undefined;

  /** @returns whether the input presses something, and does not only move the pointer */
  note(message: Buffer, kind: InputKind): boolean {
    if (kind === 'CutText') return false;
    const copy = Buffer.from(message);
    if (kind === 'Pointer') {
      // PointerEvent: type, buttons, x, y (RFC 6143 §7.5.5)
      const isPressed = copy[1] !== 0;
      copy[1] = 0;
      this.#buttons = isPressed ? copy : undefined;
      return isPressed;
    }
    // KeyEvent: type, down, padding, keysym. QEMU's: type, 0, down (16 bits), keysym, key code.
    const at = kind === 'Key' ? 1 : 3;
    const isPressed = copy[at] !== 0 || (kind === 'ExtendedKey' && copy[2] !== 0);
    copy.fill(0, kind === 'Key' ? 1 : 2, 4);
    const key = copy.toString('latin1');
    if (!isPressed) this.#keys.delete(key);
    else if (this.#keys.size < MOST_KEYS) this.#keys.set(key, copy);
    return isPressed;
  }

  /** What releases all of it, once. */
  release(): Buffer[] {
    const releases = [...this.#keys.values(), ...(this.#buttons === undefined ? [] : [this.#buttons])];
    this.#keys.clear();
    this.#buttons = undefined;
    return releases;
  }
}

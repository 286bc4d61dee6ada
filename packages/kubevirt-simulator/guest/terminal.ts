import { banner } from './boot.ts';
import { runCommand, type Action, type System } from './commands.ts';

/** Result of typing. */
export interface Typed {
  text: string;
  /** The next action of the system; later input is lost. */
  action?: Action;
}

/** Characters of the longest line. */
const LONGEST = 4095;

/** A login without password, and a command line. A login outlives the connection. */
export class Terminal {
  #line = '';
  #user: string | undefined;

  /** @param bytes one character for each byte */
  type(bytes: string, system: Omit<System, 'user'>): Typed {
    let text = '';
    for (const character of bytes) {
      if (character === '\r' || character === '\n') {
        const line = this.#line;
        this.#line = '';
        const { text: answer, action } = this.#enter(line, system);
        text += `\r\n${answer}`;
        if (action !== undefined) return { text, action };
      } else {
        text += this.#edit(character);
      }
    }
    return { text };
  }

  /** The echo of a character; only backspace of the control characters has one. */
  #edit(character: string): string {
    if (character === '\x08' || character === '\x7f') {
      if (this.#line === '') return '';
      this.#line = this.#line.slice(0, -1);
      return '\b \b';
    }
    if (character < ' ' || this.#line.length >= LONGEST) return '';
    this.#line += character;
    return character;
  }

  #enter(line: string, system: Omit<System, 'user'>): Typed {
    const { hostname } = system.machine;
    if (this.#user === undefined) {
      const name = line.trim().slice(0, 32);
      if (name === '') return { text: banner(hostname) };
      this.#user = name;
      return { text: `Type "help" for the commands.\r\n${this.#prompt(hostname)}` };
    }
    const { text, action } = runCommand(line, { ...system, user: this.#user });
    return action === undefined ? { text: text + this.#prompt(hostname) } : { text, action };
  }

  #prompt(hostname: string): string {
    const user = this.#user ?? '';
    return `${user}@${hostname}:~${user === 'root' ? '#' : '$'} `;
  }
}

import { banner } from './boot.ts';
import { LineEditor } from './line-editor.ts';
import { runCommand, type Action, type System } from './commands.ts';

/** What typing led to. */
export interface Typed {
  text: string;
  /** What the system does from now on; what was typed after it is lost. */
  action?: Action;
}

/** A login on a serial line, and the shell behind it. Who logs in stays so, whoever reads the line. */
export class Terminal {
  readonly #editor = new LineEditor();
  #user: string | undefined;

  /** @param bytes one character for each byte */
  type(bytes: string, system: Omit<System, 'user'>): Typed {
    let text = '';
    for (const character of bytes) {
      const { echo, ended } = this.#editor.type(character.charCodeAt(0));
      text += echo;
      if (ended === undefined) continue;
      const { text: answer, action } = this.#answer(ended, system);
      text += answer;
      if (action !== undefined) return { text, action };
    }
    return { text };
  }

  #answer({ by, line }: { by: string; line: string }, system: Omit<System, 'user'>): Typed {
    if (this.#user === undefined) return { text: this.#login(by === 'enter' ? line.trim() : '', system) };
    if (by === 'endOfFile') return { text: `logout\r\n${this.#logout(system)}` };
    if (by === 'interrupt') return { text: this.#prompt(system) };
    const { text, action } = runCommand(line, { ...system, user: this.#user });
    if (action === 'logout') return { text: text + this.#logout(system) };
    return action === undefined ? { text: text + this.#prompt(system) } : { text, action };
  }

  /** There are no passwords: whoever reaches the console may. */
  #login(name: string, system: Omit<System, 'user'>): string {
    if (name === '') return banner(system.machine.hostname);
    // As long as Linux lets it be.
    this.#user = name.slice(0, 32);
    return `Type "help" for what there is.\r\n${this.#prompt(system)}`;
  }

  #logout({ machine }: Omit<System, 'user'>): string {
    this.#user = undefined;
    return banner(machine.hostname);
  }

  #prompt({ machine }: Omit<System, 'user'>): string {
    const user = this.#user ?? '';
    return `${user}@${machine.hostname}:~${user === 'root' ? '#' : '$'} `;
  }
}

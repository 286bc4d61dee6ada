/** The expected output of a client: the complete text, a pattern, or several texts and patterns that must all occur. */
export type Printed = string | RegExp | readonly (string | RegExp)[];

/** The expected state of the cluster after a command; checked until it matches. */
export type Effect =
  /** The VirtualMachineInstance is a new one, does not exist, or is the same as before the command. */
  | { instance: 'runs' | 'gone' | 'another' | 'same' }
  /** Device that is first in the boot order of the VirtualMachineInstance, such as `interface:default`. */
  | { bootsFirst: string }
  /** An Event of the BMC, with a message. */
  | { event: string; says: RegExp }
  /** The boot override in the status of the BMC. */
  | { bootOverride: { target: string; mode: 'Oneshot' | 'Persistent' } | undefined };

/**
 * One command line of a real client with its expected effect and output.
 *
 * `command` is a shell command with the variables of `runner/run-line.ts`: `$L` connects ipmitool to the BMC, `$F`
 * connects FreeIPMI, `$PYGHMI` runs an expression on pyghmi's `Command`, `$PYGHMI_CONSOLE` types on its `Console`, and
 * `$TERMINAL` runs a program in a terminal.
 */
export interface Row {
  readonly command: string;
  /** NetFn/Cmd of the command under test, in hex as in the specification, such as `00/01`. */
  readonly covers: string;
  /** The program that sends exactly this command. */
  readonly sender?: string;
  /** Default 0. */
  readonly exit?: number;
  /** Standard output; a string is the complete output. Default: nothing. */
  readonly prints?: Printed;
  /** Standard error; default: nothing. */
  readonly complains?: Printed;
  /** The effect of an earlier command takes time: this command is repeated until its output matches. */
  readonly settles?: true;
  readonly effect?: Effect;
}

/** Rows of one topic, which run in order on one machine. */
export interface Topic {
  readonly title: string;
  /** `quiet`: a running machine whose power no row changes; `ipmi15`: a machine whose BMC also supports IPMI 1.5. */
  readonly machine: 'quiet' | 'power' | 'boot' | 'logins' | 'ipmi15';
  readonly rows: readonly Row[];
}

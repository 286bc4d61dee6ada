/** What a client is to print: all of it, a pattern in it, or several of both, each of which is somewhere in it. */
export type Printed = string | RegExp | readonly (string | RegExp)[];

/** What the cluster is to show after a command, looked at until it does. */
export type Effect =
  /** Another VirtualMachineInstance than before the command runs; none; the same as before it. */
  | { instance: 'runs' | 'gone' | 'another' | 'same' }
  /** Device that the VirtualMachineInstance boots first, such as `interface:default`. */
  | { bootsFirst: string }
  /** What the status of the BMC has as its boot override. */
  | { bootOverride: { target: string; mode: 'Oneshot' | 'Persistent' } | undefined };

/**
 * One command line of a real client, and what it does and says on a BMC as it should be.
 *
 * `command` is a line of shell with the variables of `runner/run-line.ts`: `$L` reaches the BMC with ipmitool, `$F` with FreeIPMI,
 * `$PYGHMI` runs an expression on pyghmi's `Command`, `$PYGHMI_CONSOLE` types on its `Console`, and `$TERMINAL` runs a program on a terminal.
 */
export interface Row {
  readonly command: string;
  /** NetFn/Cmd of what the command is there for, in hex as the specification has them, such as `00/01`. */
  readonly covers: string;
  /** Who sends it just so. */
  readonly sender?: string;
  /** Default 0. */
  readonly exit?: number;
  /** Standard output; a string is all of it. Default: nothing. */
  readonly prints?: Printed;
  /** Standard error; default: nothing. */
  readonly complains?: Printed;
  /** Shows what another command leads to in its own time: it is given again until it prints what it is to print. */
  readonly settles?: true;
  readonly effect?: Effect;
}

/** Rows of one topic, which run in their order on one machine. */
export interface Topic {
  readonly title: string;
  /** `quiet`: one that is on, and that no row switches; `ipmi15`: one whose BMC speaks IPMI 1.5 too. */
  readonly machine: 'quiet' | 'power' | 'boot' | 'logins' | 'ipmi15';
  readonly rows: readonly Row[];
}

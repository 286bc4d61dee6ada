/** How a console ended, and whether it is opened again by itself. */
export interface ConsoleEnd {
  readonly text: string;
  readonly reconnects: boolean;
}

/** Texts for close codes without a reason, and codes after which the connection is opened again. */
const CODES: Readonly<Record<number, ConsoleEnd>> = {
  1006: { text: 'The connection is lost.', reconnects: true },
  1011: { text: 'The BMC had an error.', reconnects: true },
  1012: { text: 'The BMC restarts.', reconnects: true },
  1013: { text: 'The console is not available now.', reconnects: true },
  3003: { text: 'Your role may not use the console.', reconnects: false },
  4001: { text: 'Your session has ended.', reconnects: false },
  4002: { text: 'Another user has taken the console.', reconnects: false },
  4003: { text: 'Another user has ended your console.', reconnects: false },
  4004: { text: 'This machine does not have it.', reconnects: false },
  4005: { text: 'The web console is switched off.', reconnects: false },
};

/** Words for the end of a console's WebSocket. The BMC's own reason comes first. */
export function consoleEnd(code: number, reason: string): ConsoleEnd {
  const known = CODES[code] ?? { text: 'The console has ended.', reconnects: false };
  return { ...known, text: reason === '' ? known.text : reason };
}

/** ms to wait before the nth attempt to connect again. */
export function reconnectDelay(attempt: number): number {
  return Math.min(1_000 * 2 ** attempt, 15_000);
}
